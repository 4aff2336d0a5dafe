/** What running a gateway uses beyond files and streams, so that a test can replace it. */
import { watch } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { basename, dirname } from 'node:path'
import type { Machine } from '../../config/machine.ts'
import type { Io } from '../../terminal/io.ts'
import { announceGateway } from '../reach/running-gateways.ts'
import { openPage } from './open-page.ts'

export interface Environment {
  readonly platform: string
  readonly home: string
  /** How many processes can run at the same time. */
  readonly cores: number
  /** Milliseconds since the command was started. */
  uptimeMs(): number
  /** Milliseconds since 1970. */
  date(): number
  /** Calls back for every signal to stop. */
  onStop(callback: () => void): () => void
  /** Asks the process to stop, as Ctrl-C does. */
  askToStop(): void
  /** Calls back for every key that is pressed, until the returned function is called. */
  onKey(callback: (key: string) => void): () => void
  /** Calls back for every SIGHUP. */
  onHangup(callback: () => void): () => void
  /** Calls back when a file changes, is replaced or comes back; perhaps more than once. */
  watchFile(path: string, callback: () => void): () => void
  /** Calls back once unless the returned function is called before, without keeping the process alive. */
  after(milliseconds: number, callback: () => void): () => void
  /** Calls back again and again, without keeping the process alive. */
  every(milliseconds: number, callback: () => void): () => void
  /** Lets other commands on this machine know where the gateway is. */
  announce: typeof announceGateway
  /** Ends the process at once. */
  exit(code: number): void
  /** Opens a page in the user's browser, if there is one. */
  openPage(url: string): void
  fetch(url: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

const signals = ['SIGINT', 'SIGTERM'] as const

export const processEnvironment: Environment = {
  platform: process.platform,
  home: homedir(),
  get cores() {
    return availableParallelism()
  },
  uptimeMs: () => performance.now(),
  date: () => Date.now(),
  onStop(callback) {
    // Until now Ctrl-C ended the command at once; from now on exchanges may be running.
    process.removeAllListeners('SIGINT')
    for (const signal of signals) process.on(signal, callback)
    return () => {
      for (const signal of signals) process.off(signal, callback)
    }
  },
  askToStop: () => void process.kill(process.pid, 'SIGINT'),
  onKey(callback) {
    const { stdin } = process
    const listener = (text: string): void => {
      if (text === '\u001a') suspend(stdin)
      else callback(text)
    }
    const restore = (): void => void stdin.setRawMode(false)
    stdin.setEncoding('utf8').setRawMode(true).on('data', listener).resume().unref()
    // Whatever ends the process, the terminal must echo again.
    process.on('exit', restore)
    return () => {
      process.off('exit', restore)
      restore()
      stdin.off('data', listener).pause()
    }
  },
  onHangup(callback) {
    process.on('SIGHUP', callback)
    return () => process.off('SIGHUP', callback)
  },
  watchFile(path, callback) {
    // Editors replace a file by another, which only its folder sees.
    const name = basename(path)
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_, changed) => {
        if (changed === null || changed === name) callback()
      })
      // A folder that goes away takes no gateway with it.
      watcher.on('error', () => watcher.close())
      return () => watcher.close()
    } catch {
      return () => {}
    }
  },
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds)
    timer.unref()
    return () => clearInterval(timer)
  },
  announce: announceGateway,
  exit: code => process.exit(code),
  openPage,
  fetch: (url, init) => fetch(url, init),
}

/** Ctrl-Z, which a terminal that sends single keys does not handle itself. */
function suspend(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(false)
  process.once('SIGCONT', () => stdin.setRawMode(true))
  process.kill(process.pid, 'SIGTSTP')
}

export function machineOf({ env }: Io, { platform, home }: Environment): Machine {
  return { env, platform, home }
}
