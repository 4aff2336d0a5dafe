/** The command as a process of its own with a small heap, and clients that send it what no honest client sends. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuiltCommand } from '../../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'

export interface Served {
  readonly url: string
  /** Where its thread for health answers, if it has one. */
  readonly healthUrl: string | undefined
  readonly child: ChildProcess
  /** The exit code, once it has ended. */
  readonly exit: Promise<number | string>
  /** What it has written to stderr. */
  log(): string
  /** The most memory that the process has ever taken, in bytes. */
  peakBytes(): number
  stop(): Promise<void>
}

export interface ServeOptions {
  readonly heapMegabytes?: number
  /** The program of the configuration: what `export default` returns. */
  readonly config: string
  readonly argv?: readonly string[]
}

export async function startServed(command: BuiltCommand, options: ServeOptions): Promise<Served> {
  const { heapMegabytes = 512, config, argv = [] } = options
  const state = mkdtempSync(join(tmpdir(), 'toolwire-attack-'))
  const file = join(state, 'toolwire.config.mjs')
  writeFileSync(file, config)
  const child = command.start(['serve', '--port', '0', '--config', file, ...argv], {
    XDG_STATE_HOME: state,
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
  })
  let log = ''
  child.stderr?.on('data', chunk => {
    log += String(chunk)
  })
  const exit = new Promise<number | string>(resolve =>
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  )
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      printed += String(chunk)
      if (/Access .*\n/.test(printed)) resolve()
    })
    void exit.then(code => reject(new Error(`It ended with ${code} before it was ready: ${log}`)))
  })
  const [url = ''] = /http:\/\/[^\s/]+/.exec(printed) ?? []
  return {
    url,
    healthUrl: /Health +(http:\S+)\/live/.exec(printed)?.[1],
    child,
    exit,
    log: () => log,
    peakBytes() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    },
    async stop() {
      child.kill('SIGKILL')
      await exit
      rmSync(state, { recursive: true, force: true })
    },
  }
}

export interface Reply {
  /** 0: the connection broke before there was an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body. */
  readonly text: string
  readonly bytes: number
}

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Reads the head of the answer only; the rest stays unread until the connection is closed. */
  readonly isDeaf?: boolean
}

/** Sends one request on a connection of its own. Never rejects: a broken connection is a reply of status 0. */
export function send(url: string, options: SendOptions = {}): Promise<Reply> {
  const { body, method = body === undefined ? 'GET' : 'POST', headers = {}, isDeaf = false } = options
  return new Promise(resolve => {
    const none: Reply = { status: 0, headers: {}, text: '', bytes: 0 }
    const outgoing = request(
      url,
      {
        method,
        agent: false,
        headers: {
          // As agents do. To one that closes, Node's server sends an early answer and resets what is still under way.
          connection: 'keep-alive',
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
        },
      },
      incoming => {
        let text = ''
        let bytes = 0
        const reply = (): void =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, bytes })
        incoming.on('error', reply)
        incoming.on('close', reply)
        if (isDeaf) {
          incoming.socket.pause()
          reply()
          return
        }
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (text.length < 4096) text += chunk.toString('latin1', 0, 4096)
        })
        incoming.on('end', reply)
      },
    )
    outgoing.on('error', () => resolve(none))
    outgoing.end(body)
  })
}
