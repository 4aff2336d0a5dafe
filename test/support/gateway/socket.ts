/** A client on a WebSocket without a network: it records every message of the gateway as it is sent. */
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { Abort } from '../../../packages/toolwire/src/gateway/http/abort.ts'
import type { MessageListener } from '../../../packages/toolwire/src/gateway/http/contract.ts'

export type Message = Record<string, unknown>

export interface TestSocket {
  /** Texts are sent as they are, other values as JSON. */
  send(message: unknown): void
  sendBinary(): void
  readonly received: readonly Message[]
  /** Resolves with the first message that fits, also one that was received before. */
  first(fits: (message: Message) => boolean): Promise<Message>
  /** Resolves with all messages of the next response, up to its last. */
  response(): Promise<Message[]>
  readonly closed: { readonly code: number; readonly reason: string } | undefined
  whenClosed(): Promise<void>
  readonly pings: number
  readonly isPaused: boolean
  /** From now on the client reads nothing, until `drain`. */
  stall(): void
  drain(): void
  disconnect(): void
}

export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly target?: string
}

/** Of a handshake that was answered without a socket. */
export class HandshakeRefusal extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`${status} ${body}`)
    this.status = status
    this.body = body
  }
}

const lastTypes = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

export const isLast = ({ type }: Message): boolean => lastTypes.has(String(type))

export async function openTestSocket(gateway: Gateway, options: SocketOptions = {}): Promise<TestSocket> {
  const { headers = {}, target = '/v1/responses' } = options
  let listener: MessageListener | undefined
  let status = 0
  let body = ''
  const connection = new TestConnection()
  await gateway.handle(
    {
      method: 'GET',
      target,
      headers: { host: 'localhost', upgrade: 'websocket', connection: 'Upgrade', ...headers },
      signal: new Abort(),
      body: async () => new Uint8Array(),
      upgrade: async asked => {
        listener = asked.listener
        connection.listener = listener
        listener.opened(connection)
      },
    },
    {
      head(code) {
        status = code
      },
      write: () => true,
      end(chunk) {
        body = String(chunk ?? '')
      },
      onDrain: () => {},
    },
  )
  if (listener === undefined) throw new HandshakeRefusal(status, body)
  return connection
}

class TestConnection implements TestSocket {
  listener: MessageListener | undefined
  readonly received: Message[] = []
  closed: TestSocket['closed']
  pings = 0
  isPaused = false
  #isStalled = false
  #taken = 0
  #unread: (() => void)[] = []
  readonly #waiting: { fits(message: Message): boolean; resolve(message: Message): void }[] = []
  readonly #onClosed: (() => void)[] = []

  send(message: unknown, onSent?: (length: number) => void): void {
    if (onSent !== undefined) {
      this.#receive(String(message), onSent)
      return
    }
    const data = Buffer.from(typeof message === 'string' ? message : (JSON.stringify(message) ?? ''))
    this.listener?.received(data.length)
    this.listener?.message(data, false)
  }

  sendBinary(): void {
    this.listener?.message(Buffer.from([1, 2, 3]), true)
  }

  first(fits: (message: Message) => boolean): Promise<Message> {
    const found = this.received.find(fits)
    if (found !== undefined) return Promise.resolve(found)
    return new Promise(resolve => this.#waiting.push({ fits, resolve }))
  }

  async response(): Promise<Message[]> {
    for (;;) {
      const end = this.received.findIndex((message, at) => at >= this.#taken && isLast(message))
      if (end === -1) {
        const known = this.received.length
        await this.first(message => this.received.indexOf(message) >= known)
        continue
      }
      const messages = this.received.slice(this.#taken, end + 1)
      this.#taken = end + 1
      return messages
    }
  }

  whenClosed(): Promise<void> {
    return this.closed === undefined
      ? new Promise(resolve => this.#onClosed.push(resolve))
      : Promise.resolve()
  }

  stall(): void {
    this.#isStalled = true
  }

  drain(): void {
    this.#isStalled = false
    for (const tell of this.#unread.splice(0)) tell()
  }

  disconnect(): void {
    this.closed ??= { code: 1006, reason: '' }
    this.#end()
  }

  ping(): void {
    this.pings++
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  setBusy(): void {}

  close(code: number, reason: string): void {
    this.closed ??= { code, reason }
    // A client that reads nothing does not close in turn.
    if (!this.#isStalled) queueMicrotask(() => this.#end())
  }

  cut(): void {
    this.disconnect()
  }

  #receive(text: string, onSent: (length: number) => void): void {
    const message = JSON.parse(text) as Message
    this.received.push(message)
    for (const waiting of [...this.#waiting]) {
      if (!waiting.fits(message)) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.resolve(message)
    }
    const tell = (): void => onSent(text.length)
    if (this.#isStalled) this.#unread.push(tell)
    else queueMicrotask(tell)
  }

  #end(): void {
    this.listener?.closed()
    for (const tell of this.#unread.splice(0)) tell()
    for (const resolve of this.#onClosed.splice(0)) resolve()
  }
}
