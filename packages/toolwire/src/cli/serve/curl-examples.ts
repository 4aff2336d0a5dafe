/** Requests to paste, one for each wire, each with a tool for the model to call. */
import type { Settings } from '../../config/config.ts'
import type { WireSet } from '../../config/wires.ts'
import type { Io } from '../../terminal/io.ts'

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
