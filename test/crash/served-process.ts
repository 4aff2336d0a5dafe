/** `toolwire serve` as a process with the demo model and a store on disk, to be killed. */
import type { ChildProcess } from 'node:child_process'

export type Start = (argv: readonly string[], env: Readonly<Record<string, string>>) => ChildProcess

export interface Served {
  /** Rejects when it ends before it listens. */
  readonly url: Promise<string>
  /** Resolves when the process has ended. */
  kill(): Promise<void>
  readonly isKilled: boolean
  readonly complaints: string
}

export function serve(start: Start, store: string): Served {
  const child = start(['serve', '--demo', '--quiet', '--port', '0', '--store', store], {})
  let isKilled = false
  let complaints = ''
  let printed = ''
  child.stderr?.on('data', chunk => {
    complaints += String(chunk)
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const url = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      printed += String(chunk)
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]
      if (found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(`The gateway ended before it was ready: ${complaints}`)))
  })
  // Whoever kills it before it is ready does not wait for the address.
  url.catch(() => {})
  return {
    url,
    async kill() {
      isKilled = true
      child.kill('SIGKILL')
      await ended
    },
    get isKilled() {
      return isKilled
    },
    get complaints() {
      return complaints
    },
  }
}
