/** Which models the upstreams have, and which upstreams do not answer. */
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'
import type { Environment } from '../serve/environment.ts'
import type { ModelQuery } from './ask-models.ts'

export interface FoundModels extends ModelQuery {
  readonly upstream: Upstream
}

/** Starting must not wait for a slow upstream. */
const timeoutMs = 1_000

/** `undefined` for an upstream inside this process, which lists its models in its settings, and for one that is left out. */
export function findModels(
  upstreams: readonly Upstream[],
  wires: WireSet,
  world: Pick<Environment, 'fetch'>,
): Promise<(FoundModels | undefined)[]> {
  return Promise.all(
    upstreams.map(async upstream =>
      upstream.transport === undefined && upstream.disabled === undefined
        ? findModelsOf(upstream, wires, world)
        : undefined,
    ),
  )
}

export async function findModelsOf(
  upstream: Upstream,
  wires: WireSet,
  { fetch }: Pick<Environment, 'fetch'>,
): Promise<FoundModels> {
  const { queryModels } = await import('./ask-models.ts')
  return { upstream, ...(await queryModels(upstream, wires, fetch, timeoutMs)) }
}

const shownModels = 3

/** What an upstream said when it was asked for its models. */
export function modelsText({ upstream, models, status, failure }: FoundModels): string {
  if (failure !== undefined) {
    return `nothing answers at ${printable(upstream.baseUrl)} (${printable(failure)}), trying again`
  }
  if (status === 401 || status === 403) return `its key is refused (status ${status})`
  if (models === undefined) return `it lists no models (status ${status})`
  const { length } = models
  return length === 0 ? 'it has no models yet' : `${plural(length, 'model')}: ${someOf(models)}`
}

export function someOf(names: readonly string[]): string {
  const more = names.length > shownModels ? `, and ${names.length - shownModels} more` : ''
  return printable(names.slice(0, shownModels).join(', ')) + more
}

/** A model that probably exists: a name from the settings, or the first that an upstream lists. */
export function modelToTry(
  upstreams: readonly Upstream[],
  found: readonly (FoundModels | undefined)[],
): string | undefined {
  const listed = upstreams
    .flatMap(({ models = [], rename = {} }) => [...models, ...Object.keys(rename)])
    .find(name => !name.includes('*'))
  if (listed !== undefined) return listed
  for (const one of found) {
    const { models: served = [] } = one?.upstream ?? {}
    const model = one?.models?.find(
      name => served.length === 0 || served.some(prefix => name.startsWith(prefix.slice(0, -1))),
    )
    if (model !== undefined) return model
  }
  return undefined
}
