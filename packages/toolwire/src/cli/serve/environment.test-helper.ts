/** The outside of the commands around the gateway, in memory as far as a gateway allows. */
import type { Io } from '../../terminal/io.ts'
import { createMemoryIo, type MemorySetup } from '../../terminal/memory-io.test-helper.ts'
import type { Arguments } from '../arguments.ts'
import { parseArguments } from '../arguments.ts'
import { commands } from '../command-table.ts'
import type { Environment } from './environment.ts'

export { cwd } from '../../terminal/memory-io.test-helper.ts'

export interface Setup extends Pick<MemorySetup, 'files' | 'programs' | 'env' | 'isTTY' | 'stdinIsTTY'> {
  readonly isFirst?: boolean
  readonly fetch?: Environment['fetch']
}

export interface Stage {
  readonly io: Io
  readonly world: Environment
  readonly printed: { stdout: string; stderr: string }
  /** Resolves once this was printed. */
  until(text: string): Promise<void>
  /** Sends the signal that asks to stop. */
  signal(): void
  /** Presses a key; `false` when nobody listens. */
  press(key: string): boolean
  /** Sends SIGHUP. */
  hangUp(): void
  /** Tells that this file has changed. */
  touch(path: string): void
  /** Exit codes with which the process was to end at once. */
  readonly exits: number[]
  /** The pages that were to be opened in a browser. */
  readonly opened: string[]
  /** The gateways that other commands know of. */
  readonly announced: readonly { readonly url: string; readonly asksForKey: boolean }[]
  /** What was to be done again and again. */
  readonly repeated: { readonly milliseconds: number; readonly callback: () => void }[]
  /** What was to be done later. */
  readonly later: Set<() => void>
}

export function createStage(setup: Setup = {}): Stage {
  const listeners = new Set<() => void>()
  const keys = new Set<(key: string) => void>()
  const hangUps = new Set<() => void>()
  const watched = new Map<string, () => void>()
  const exits: number[] = []
  const opened: string[] = []
  const announced: { url: string; asksForKey: boolean }[] = []
  const repeated: Stage['repeated'] = []
  const later: Stage['later'] = new Set()
  const waiting = new Set<() => void>()
  const { io, printed } = createMemoryIo(setup, () => {
    for (const look of waiting) look()
  })
  const until = (text: string): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (printed.stdout.includes(text) || printed.stderr.includes(text)) resolve()
      }
      waiting.add(look)
      look()
    })
  const world: Environment = {
    platform: 'linux',
    home: '/nowhere/home/me',
    cores: 1,
    uptimeMs: () => 312,
    date: () => 1_700_000_000_000,
    onStop(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    askToStop: () => {
      for (const listener of listeners) listener()
    },
    onKey(callback) {
      keys.add(callback)
      return () => keys.delete(callback)
    },
    onHangup(callback) {
      hangUps.add(callback)
      return () => hangUps.delete(callback)
    },
    watchFile(path, callback) {
      watched.set(path, callback)
      return () => watched.delete(path)
    },
    after(_, callback) {
      later.add(callback)
      return () => later.delete(callback)
    },
    every(milliseconds, callback) {
      repeated.push({ milliseconds, callback })
      return () => {}
    },
    announce: ({ url, asksForKey }) => {
      announced.push({ url, asksForKey })
      return { isFirst: setup.isFirst ?? false, withdraw: () => void announced.pop() }
    },
    exit: code => exits.push(code),
    openPage: url => opened.push(url),
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
    press: key => {
      for (const listener of keys) listener(key)
      return keys.size > 0
    },
    hangUp: () => {
      for (const listener of hangUps) listener()
    },
    touch: path => watched.get(path)?.(),
    exits,
    opened,
    announced,
    repeated,
    later,
  }
}

export function argumentsOf(command: string, argv: readonly string[]): Arguments {
  return parseArguments(argv, commands[command]?.options ?? {})
}
