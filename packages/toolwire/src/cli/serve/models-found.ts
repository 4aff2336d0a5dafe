/** Which models the upstreams have, and which upstreams do not answer: those are asked again until they do. */
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'
import type { ModelQuery } from './ask-models.ts'
import type { Environment } from './environment.ts'

export interface FoundModels extends ModelQuery {
  readonly upstream: Upstream
}

/** Starting must not wait for a slow upstream. */
const timeoutMs = 1_000
const againMs = 3_000

/** `undefined` for an upstream inside this process, which lists its models in its settings, and for one that is left out. */
export function findModels(
  upstreams: readonly Upstream[],
  wires: WireSet,
  world: Pick<Environment, 'fetch'>,
): Promise<(FoundModels | undefined)[]> {
  return Promise.all(
    upstreams.map(async upstream =>
      upstream.transport === undefined && upstream.disabled === undefined
        ? ask(upstream, wires, world)
        : undefined,
    ),
  )
}

async function ask(
  upstream: Upstream,
  wires: WireSet,
  { fetch }: Pick<Environment, 'fetch'>,
): Promise<FoundModels> {
  const { queryModels } = await import('./ask-models.ts')
  return { upstream, ...(await queryModels(upstream, wires, fetch, timeoutMs)) }
}

/** What to do about upstreams that cannot be used as they are. */
export function reachWarnings(found: readonly (FoundModels | undefined)[]): string[] {
  const until = 'Until then, requests for it fail; every other upstream is served.'
  return found.flatMap(one => {
    if (one === undefined) return []
    const { upstream, status, failure } = one
    const { name, baseUrl } = upstream
    if (failure !== undefined) {
      return [
        `Upstream ${name} does not answer at ${baseUrl} (${failure}). Start it, or correct its "baseUrl". ${until}`,
      ]
    }
    if (status !== 401 && status !== 403) return []
    const remedy =
      upstream.apiKey === undefined ? 'Give it one with "apiKeyEnv".' : 'Replace it, and start again.'
    return [`Upstream ${name} refuses its key (status ${status}). ${remedy} ${until}`]
  })
}

/** Tells of each of these upstreams once it answers. Returns what ends it. */
export function awaitUpstreams(
  found: readonly (FoundModels | undefined)[],
  wires: WireSet,
  world: Pick<Environment, 'fetch' | 'every'>,
  tell: (line: string) => void,
): () => void {
  const silent = new Set(found.flatMap(one => (one?.failure === undefined ? [] : [one.upstream])))
  if (silent.size === 0) return () => {}
  const busy = new Set<Upstream>()
  const stop = world.every(againMs, () => {
    for (const upstream of silent) {
      if (busy.has(upstream)) continue
      busy.add(upstream)
      void ask(upstream, wires, world).then(answer => {
        busy.delete(upstream)
        if (answer.failure !== undefined || !silent.delete(upstream)) return
        tell(`${printable(upstream.name)} answers now: ${modelsText(answer)}.`)
        if (silent.size === 0) stop()
      })
    }
  })
  return stop
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
