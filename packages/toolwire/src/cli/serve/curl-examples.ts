/** Requests to paste, one for each wire, each with a tool for the model to call. */
import type { Settings } from '../../config/config.ts'
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import type { Io } from '../../terminal/io.ts'
import type { Environment } from './environment.ts'

export interface CurlExample {
  readonly title: string
  readonly command: string
}

export function curlExamples(
  url: string,
  model: string,
  keyVariable: string | undefined,
  wires: WireSet,
): CurlExample[] {
  return wires.all.map(({ title, service }) => {
    const { path, body } = service.example(model)
    const [{ header, scheme }] = service.http.keys
    const value = scheme === undefined ? `$${keyVariable}` : `${scheme} $${keyVariable}`
    const key = keyVariable === undefined ? '' : ` -H "${header}: ${value}"`
    // The shell takes the JSON between single quotes, and the name of a model may hold anything.
    const json = JSON.stringify(body).replaceAll("'", "'\\''")
    return { title, command: `curl -sS ${url}${path} -H 'content-type: application/json'${key} -d '${json}'` }
  })
}

/** The variable that holds a key for the examples; `undefined` when none is needed. */
export function keyVariableFor({ keys, config }: Settings, env: Io['env']): string | undefined {
  if (keys.length === 0) return undefined
  const { keysEnv } = config
  const holdsOne = keysEnv !== undefined && !(env[keysEnv] ?? '').includes(',')
  return holdsOne ? keysEnv : unnamedKey
}

export const unnamedKey = 'TOOLWIRE_KEY'

/** A model that probably exists: a name from the settings, or the first that an upstream lists. */
export async function modelToTry(
  upstreams: readonly Upstream[],
  wires: WireSet,
  { fetch }: Pick<Environment, 'fetch'>,
): Promise<string | undefined> {
  const listed = upstreams
    .flatMap(({ models = [], rename = {} }) => [...models, ...Object.keys(rename)])
    .find(name => !name.endsWith('*'))
  if (listed !== undefined) return listed
  const { queryModels } = await import('./ask-models.ts')
  for (const upstream of upstreams) {
    const { models } = await queryModels(upstream, wires, fetch, timeoutMs)
    const { models: served = [] } = upstream
    const found = models?.find(
      model => served.length === 0 || served.some(prefix => model.startsWith(prefix.slice(0, -1))),
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** Starting must not wait for a slow upstream. */
const timeoutMs = 1_000
