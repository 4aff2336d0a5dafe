/** Gateways as processes on one store: asked, killed and started again. */
import type { ChildProcess } from 'node:child_process'
import { request } from 'node:http'
import type { Start } from '../crash/served-process.ts'
import { childrenOf } from '../support/house/child-processes.ts'

export interface Reply {
  /** 0: there was no answer. */
  readonly status: number
  readonly text: string
  /** The answer came to its end. */
  readonly isWhole: boolean
}

export interface AskOptions {
  readonly method?: string
  readonly body?: object
  /** Leaves as soon as this is true of what has come. */
  enough?(text: string): boolean
}

/** One gateway, whichever process it is now. */
export class Member {
  readonly #start: Start
  readonly #argv: readonly string[]
  #child: ChildProcess | undefined
  #url: Promise<string> = Promise.resolve('')
  printed = ''

  constructor(start: Start, argv: readonly string[]) {
    this.#start = start
    this.#argv = argv
  }

  /** Resolves when it listens. */
  async begin(): Promise<void> {
    const child = this.#start(['serve', '--quiet', '--port', '0', ...this.#argv], {})
    this.#child = child
    let output = ''
    child.stderr?.on('data', chunk => {
      this.printed += String(chunk)
    })
    this.#url = new Promise((resolve, reject) => {
      child.stdout?.on('data', chunk => {
        output += String(chunk)
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
        if (found !== undefined) resolve(found)
      })
      child.once('close', () => reject(new Error(`A gateway ended before it was ready: ${this.printed}`)))
    })
    await this.#url
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
    child.kill('SIGKILL')
    await ended
  }

  /** Kills one of its worker processes, by a number of any size. */
  killWorker(which: number): void {
    const listed = childrenOf(this.#child?.pid ?? 0)
    const chosen = listed[which % listed.length]
    if (chosen !== undefined) process.kill(chosen, 'SIGKILL')
  }

  get url(): Promise<string> {
    return this.#url
  }

  async ask(path: string, owner: number, options: AskOptions = {}): Promise<Reply> {
    const url = await this.#url.catch(() => '')
    return url === '' ? { status: 0, text: '', isWhole: false } : ask(url + path, owner, options)
  }
}

export function ask(
  address: string,
  owner: number,
  { method, body, enough }: AskOptions = {},
): Promise<Reply> {
  return new Promise(resolve => {
    let text = ''
    let status = 0
    const done = (isWhole: boolean): void => resolve({ status, text, isWhole })
    const sent = request(address, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      // A connection of its own: among worker processes each goes to the next one.
      agent: false,
      headers: { authorization: `Bearer key-${owner}`, 'content-type': 'application/json' },
    })
    sent.once('error', () => done(false))
    sent.once('response', response => {
      status = response.statusCode ?? 0
      response.setEncoding('utf8').on('data', chunk => {
        text += String(chunk)
        if (enough?.(text) !== true) return
        done(false)
        sent.destroy()
      })
      response.once('error', () => done(false))
      response.once('end', () => done(response.complete))
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
