/** What the machine must have: a recent Node, a store that can be written, a free port. */

import { isObject } from '@toolwire/core/json'
import type { Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { localUrl } from '../../config/machine.ts'
import type { Environment } from '../serve/environment.ts'
import { listenFailure } from '../serve/listen.ts'
import type { openStore } from '../serve/open-store.ts'

/** What the doctor touches beyond what `serve` does. */
export interface DoctorEnvironment extends Environment {
  readonly nodeVersion: string
  readonly openStore: typeof openStore
  /** Resolves with what is wrong with the file; `undefined` when it is too large to be read here. */
  verifyStore(path: string): Promise<readonly string[] | undefined>
  /** Opens the port and closes it again; rejects when it cannot be opened. */
  tryPort(host: string, port: number): Promise<void>
  /** Calls back once, unless it is called off. */
  after(milliseconds: number, callback: () => void): () => void
}

/** One check and its result. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  readonly remedy?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message })

export const warning = (name: string, message: string, remedy?: string): Check => ({
  name,
  status: 'warning',
  message,
  ...(remedy !== undefined && { remedy }),
})

export const problem = (name: string, message: string, remedy?: string): Check => ({
  name,
  status: 'problem',
  message,
  ...(remedy !== undefined && { remedy }),
})

/** As in the package's "engines". */
const leastNode = [20, 19] as const

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = leastNode
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor))
    return ok('node', `Node ${version}.`)
  return problem('node', `Node ${version} is too old.`, `Install Node ${leastNode.join('.')} or later.`)
}

export async function checkStore({ store }: Settings, world: DoctorEnvironment): Promise<Check> {
  try {
    const opened = await world.openStore(store)
    try {
      await opened.store?.check()
    } finally {
      await opened.store?.close()
    }
    const { warning: doubt, description } = opened
    if (doubt !== undefined) return warning('store', doubt)
    if (opened.store?.kind !== 'sqlite') return ok('store', `${description}.`)
    return await checkFile(store.path, world)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const first = error instanceof ConfigError ? error.problems[0] : undefined
    return problem('store', first?.message ?? error.message, first?.remedy)
  }
}

async function checkFile(path: string, { verifyStore }: DoctorEnvironment): Promise<Check> {
  const problems = await verifyStore(path)
  if (problems === undefined) {
    return ok('store', `${path} can be written. It is large; "toolwire store verify" reads all of it.`)
  }
  const [first] = problems
  if (first === undefined) return ok('store', `${path} can be written, and is sound.`)
  const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more like it`
  const remedy = 'Put a backup in its place, or delete what is damaged: "toolwire store verify" lists it.'
  return problem('store', `${path} is damaged: ${first}${more}`, remedy)
}

export async function checkPort({ host, port }: Settings, world: DoctorEnvironment): Promise<Check> {
  try {
    await world.tryPort(host, port)
    return ok('port', port === 0 ? 'Any free port will be taken.' : `Port ${port} of ${host} is free.`)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const version = await runningVersion(localUrl(host, port), world)
    if (version !== undefined) {
      const message = `toolwire ${version} is running on port ${port} of ${host} already.`
      const remedy =
        'Use that one, stop it, or choose another port with "toolwire serve --port" (0 takes any free one).'
      return warning('port', message, remedy)
    }
    const failure = listenFailure(error, host, port)
    const first = failure instanceof ConfigError ? failure.problems[0] : undefined
    return problem('port', first?.message ?? error.message, first?.remedy)
  }
}

/** The version of the gateway that listens there, if it is one. */
async function runningVersion(url: string, { fetch }: DoctorEnvironment): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/version`, { headers: {}, signal: AbortSignal.timeout(1_000) })
    const body: unknown = await response.json()
    return isObject(body) && body.name === 'toolwire' ? String(body.version) : undefined
  } catch {
    return undefined
  }
}
