/**
 * The gateways that run on this machine, one small file each, so that a command in the same folder finds the one that
 * was started there, whatever port it got. A file whose process is gone is removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, parseJson } from '@toolwire/core/json'
import { defaultStorePath, type Machine } from '../../config/machine.ts'

export interface RunningGateway {
  readonly pid: number
  readonly url: string
  /** The folder in which it was started. */
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly since: number
  /** Whether it answers only those who have a key. */
  readonly asksForKey: boolean
}

function folderOf(machine: Machine): string {
  return join(dirname(defaultStorePath(machine)), 'running')
}

export interface Announcement {
  /** No gateway was ever started by this user. */
  readonly isFirst: boolean
  withdraw(): void
}

/** Where nothing can be written, nobody learns of the gateway. */
export function announceGateway(
  gateway: Omit<RunningGateway, 'pid'>,
  machine: Machine,
  pid: number = process.pid,
): Announcement {
  const file = join(folderOf(machine), `${pid}.json`)
  try {
    const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ pid, ...gateway }), { mode: 0o600 })
    return { isFirst: made !== undefined, withdraw: () => rmSync(file, { force: true }) }
  } catch {
    return { isFirst: true, withdraw: () => {} }
  }
}

/** The newest first. */
export function listRunningGateways(
  machine: Machine,
  isAlive: (pid: number) => boolean = hasProcess,
): RunningGateway[] {
  return filesIn(folderOf(machine))
    .flatMap(file => {
      const gateway = readGateway(file)
      if (gateway !== undefined && isAlive(gateway.pid)) return [gateway]
      rmSync(file, { force: true })
      return []
    })
    .sort((a, b) => b.since - a.since)
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => /^\d+\.json$/.test(name))
      .map(name => join(folder, name))
  } catch {
    return []
  }
}

function readGateway(file: string): RunningGateway | undefined {
  try {
    const value = parseJson(readFileSync(file, 'utf8'))
    if (!isObject(value)) return undefined
    const { pid, url, cwd, since, asksForKey } = value
    if (typeof pid !== 'number' || typeof url !== 'string' || typeof cwd !== 'string') return undefined
    return { pid, url, cwd, since: typeof since === 'number' ? since : 0, asksForKey: asksForKey === true }
  } catch {
    return undefined
  }
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
