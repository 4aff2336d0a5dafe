/** A world for the commands around the gateway that lives in memory, as far as a gateway can. */

import type { Io, Output } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { parseArguments } from '../arguments.ts'
import { commands } from '../command-table.ts'
import type { Environment } from './environment.ts'

export const cwd = '/home/me/work'

export interface Setup {
  /** By path, from the working directory. */
  readonly files?: Readonly<Record<string, string>>
  /** What programs export, by path; their text may stand in `files`. */
  readonly programs?: Readonly<Record<string, () => unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly fetch?: Environment['fetch']
  readonly isTTY?: boolean
}

export interface Stage {
  readonly io: Io
  readonly world: Environment
  readonly printed: { stdout: string; stderr: string }
  /** Resolves once this was printed. */
  until(text: string): Promise<void>
  /** Sends the signal that asks to stop. */
  signal(): void
  /** Exit codes with which the process was to end at once. */
  readonly exits: number[]
  /** What was to be done again and again. */
  readonly repeated: { readonly milliseconds: number; readonly callback: () => void }[]
  /** What was to be done later. */
  readonly later: Set<() => void>
}

export function createStage(setup: Setup = {}): Stage {
  const { files = {}, programs = {}, env = {}, isTTY = false } = setup
  const printed = { stdout: '', stderr: '' }
  const all = new Map<string, string>([
    ...Object.keys(programs).map(path => [`${cwd}/${path}`, ''] as const),
    ...Object.entries(files).map(([path, text]) => [`${cwd}/${path}`, text] as const),
  ])
  const listeners = new Set<() => void>()
  const exits: number[] = []
  const repeated: Stage['repeated'] = []
  const later: Stage['later'] = new Set()
  const waiting = new Set<() => void>()
  const output = (name: keyof typeof printed): Output => ({
    write(text) {
      printed[name] += text
      for (const look of waiting) look()
    },
    isTTY,
    columns: 100,
  })
  const until = (text: string): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (printed.stdout.includes(text) || printed.stderr.includes(text)) resolve()
      }
      waiting.add(look)
      look()
    })
  const io: Io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdinIsTTY: false,
    env,
    async *read(path) {
      const text = all.get(path)
      if (text === undefined) throw Object.assign(new Error('failed'), { code: 'ENOENT' })
      yield new TextEncoder().encode(text)
    },
    writeFile: async () => {},
  }
  const world: Environment = {
    cwd,
    platform: 'linux',
    home: '/nowhere/home/me',
    async load(url) {
      const path = new URL(url).pathname.slice(cwd.length + 1)
      return programs[path]?.()
    },
    uptimeMs: () => 312,
    date: () => 1_700_000_000_000,
    onStop(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    after(_, callback) {
      later.add(callback)
      return () => later.delete(callback)
    },
    every(milliseconds, callback) {
      repeated.push({ milliseconds, callback })
      return () => {}
    },
    exit: code => exits.push(code),
    fetch: setup.fetch ?? (async () => Promise.reject(new TypeError('fetch failed'))),
  }
  return {
    io,
    world,
    printed,
    until,
    signal: () => {
      for (const listener of listeners) listener()
    },
    exits,
    repeated,
    later,
  }
}

export function argumentsOf(command: string, argv: readonly string[]): Arguments {
  return parseArguments(argv, commands[command]?.options ?? {})
}
