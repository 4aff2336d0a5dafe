/** Chromium's debugging protocol over a pair of pipes: JSON messages, each ended by a null byte. */
import type { Readable, Writable } from 'node:stream'

export interface DevtoolsEvent {
  readonly method: string
  // The shape depends on the method.
  readonly params: Readonly<Record<string, unknown>>
  /** The page or worker it comes from; absent for the browser itself. */
  readonly sessionId?: string
}

export interface DevtoolsPipe {
  /** Rejects with the protocol's error message, or when the pipe closes first. */
  send<Result = unknown>(method: string, params?: object, sessionId?: string): Promise<Result>
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  readonly method: string
  resolve(result: unknown): void
  reject(error: Error): void
}

interface PipeEnds {
  readonly input: Writable
  readonly output: Readable
  onEvent(event: DevtoolsEvent): void
  /** The last error output of the browser. */
  lastErrors(): string
}

export function openDevtoolsPipe({ input, output, onEvent, lastErrors }: PipeEnds): DevtoolsPipe {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let closed = false
  const gone = (method: string): Error => new Error(`${method}: Chromium is gone. ${lastErrors()}`)

  const settle = ({ id, result, error }: Answer): void => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(result)
    else one?.reject(new Error(`${one.method}: ${error.message}`))
  }

  readMessages(output, message => ('id' in message ? settle(message) : onEvent(message)))
  // If the browser dies during a write, the pending requests report it.
  input.on('error', () => {})
  output.on('close', () => {
    closed = true
    for (const { method, reject } of waiting.values()) reject(gone(method))
    waiting.clear()
  })

  return {
    send<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
      if (closed) return Promise.reject(gone(method))
      const id = ++lastId
      const { promise, resolve, reject } = withResolvers<unknown>()
      waiting.set(id, { method, resolve, reject })
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      return promise as Promise<Result>
    },
  }
}

function readMessages(output: Readable, onMessage: (message: Answer | DevtoolsEvent) => void): void {
  let pieces: Buffer[] = []
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      const text = Buffer.concat([...pieces, chunk.subarray(from, end)]).toString('utf8')
      pieces = []
      from = end + 1
      onMessage(JSON.parse(text) as Answer | DevtoolsEvent)
    }
    pieces.push(chunk.subarray(from))
  })
}

interface Deferred<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
  reject(error: Error): void
}

/** Node 20 has no `Promise.withResolvers` yet. */
function withResolvers<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>['resolve'] = () => {}
  let reject: Deferred<Value>['reject'] = () => {}
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}
