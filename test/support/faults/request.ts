/** A client without a network: it records every write of the gateway as it is made. */
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayRequest, Sink } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { textOf } from './upstream.ts'

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Strings and bytes are sent as they are, other values as JSON. */
  readonly body?: unknown
  /** Called with the complete text written so far. */
  readonly onWrite?: (text: string) => void
  /** Whether the client has room for more after a write; always true by default. */
  readonly hasRoom?: () => boolean
}

export interface ReceivedAnswer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The text of each write. */
  readonly writes: readonly string[]
  readonly text: string
  readonly isEnded: boolean
  /** Resolves when the gateway has finished the request. */
  readonly done: Promise<void>
  json(): Record<string, unknown>
  /** The client disconnects. */
  disconnect(): void
  /** The client has read everything that was written. */
  drain(): void
}

export function sendTo(gateway: Gateway, target: string, options: RequestOptions = {}): ReceivedAnswer {
  const {
    method = options.body === undefined ? 'GET' : 'POST',
    headers = {},
    body,
    onWrite,
    hasRoom,
  } = options
  const gone = new AbortController()
  const writes: string[] = []
  const draining: (() => void)[] = []
  let status: number | undefined
  let received: Readonly<Record<string, string>> = {}
  let isEnded = false
  const write = (chunk: string | Uint8Array): boolean => {
    if (isEnded) throw new Error('The gateway wrote after the end.')
    writes.push(textOf(chunk))
    onWrite?.(writes.join(''))
    return hasRoom?.() ?? true
  }
  const sink: Sink = {
    head(code, sentHeaders) {
      if (status !== undefined) throw new Error('The gateway sent a second head.')
      status = code
      received = sentHeaders
    },
    write,
    end(chunk) {
      if (isEnded) throw new Error('The gateway ended the answer twice.')
      if (chunk !== undefined) write(chunk)
      isEnded = true
    },
    onDrain: callback => draining.push(callback),
  }
  const request: GatewayRequest = {
    method,
    target,
    headers: {
      host: 'localhost',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: gone.signal,
    ownsBody: true,
    body: async () => bytesOf(body),
  }
  const done = gateway.handle(request, sink)
  return {
    get status() {
      return status
    },
    get headers() {
      return received
    },
    writes,
    get text() {
      return writes.join('')
    },
    get isEnded() {
      return isEnded
    },
    done,
    json: () => JSON.parse(writes.join('')) as Record<string, unknown>,
    disconnect: () => gone.abort(),
    drain() {
      for (const callback of draining.splice(0)) callback()
    },
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''))
}
