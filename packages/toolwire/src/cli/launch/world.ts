/** What starting an agent uses of the machine, so that a test can replace it. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants as system, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { StoreSettings } from '../../config/config.ts'
import type { UsageRow } from '../../platform/usage-row.ts'
import { type Environment, processEnvironment } from '../serve/environment.ts'
import { openStore } from '../serve/open-store.ts'

export interface LaunchWorld extends Environment {
  /** The path of a program, if it is installed. */
  findProgram(name: string, env: Env): string | undefined
  /** A file in a folder of its own, which only this user can read. */
  makeFile(name: string, text: string): Promise<{ readonly path: string; remove(): Promise<void> }>
  /** Runs a program in this terminal until it ends, and resolves to its exit code. */
  runProgram(path: string, args: readonly string[], env: Env): Promise<number>
  newKey(): string
  /** For `toolwire usage`, in the store that the gateway of these settings would have. */
  keepUsage(rows: readonly UsageRow[], store: StoreSettings): Promise<void>
  /** Resolves when the user, or the system, asks this process to end. */
  untilInterrupted(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

export const launchWorld: LaunchWorld = {
  ...processEnvironment,
  findProgram,
  async makeFile(name, text) {
    const folder = await mkdtemp(join(tmpdir(), 'toolwire-'))
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return { path, remove: () => rm(folder, { recursive: true, force: true }) }
  },
  runProgram,
  keepUsage,
  newKey: () => `tw-${randomBytes(18).toString('base64url')}`,
  untilInterrupted: () =>
    new Promise(resolve => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    }),
}

async function keepUsage(rows: readonly UsageRow[], settings: StoreSettings): Promise<void> {
  // Memory in its place would keep nothing, and say nothing.
  const { store } = await openStore({ ...settings, isChosen: true })
  try {
    await store?.addUsage?.(rows)
  } finally {
    await store?.close()
  }
}

function findProgram(name: string, { PATH = '', PATHEXT = '' }: Env): string | undefined {
  const endings = process.platform === 'win32' ? PATHEXT.split(';') : ['']
  return PATH.split(delimiter)
    .filter(folder => folder !== '')
    .flatMap(folder => endings.map(ending => join(folder, name + ending)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A signal to this process is for the agent; what it does about it, it does itself. */
function runProgram(path: string, args: readonly string[], env: Env): Promise<number> {
  return new Promise((resolve, reject) => {
    // Windows runs scripts only through its shell.
    const shell = /\.(cmd|bat)$/i.test(path)
    const child = spawn(shell ? `"${path}"` : path, shell ? args.map(quoted) : args, {
      stdio: 'inherit',
      env: { ...env },
      shell,
    })
    process.removeAllListeners('SIGINT')
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
    // Ctrl-C in a terminal reaches the agent anyway.
    const onInterrupt = (): void => {
      if (process.stdin.isTTY !== true) pass('SIGINT')
    }
    process.on('SIGINT', onInterrupt).on('SIGTERM', pass).on('SIGHUP', pass)
    const forget = (): void => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', pass).off('SIGHUP', pass)
    }
    child.on('error', error => {
      forget()
      reject(error)
    })
    child.on('close', (code, signal) => {
      forget()
      resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal]))
    })
  })
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}
