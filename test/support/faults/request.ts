/** A client without a network: it records every write of the gateway at once. */

import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayRequest, Sink } from '../../../packages/toolwire/src/gateway/http/contract.ts'

export interface VisitOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is. */
  readonly body?: unknown
  /** Called with all that has been written so far. */
  readonly onWrite?: (text: string) => void
  /** Whether the client takes what it is given; it always does unless stated. */
  readonly takes?: () => boolean
}

export interface Visited {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly isEnded: boolean
  /** Resolves when the gateway is done with the request. */
  readonly done: Promise<void>
  json(): Record<string, unknown>
  /** The client goes away. */
  leave(): void
  /** The client has taken all it was given. */
  drain(): void
}

export function visit(gateway: Gateway, target: string, options: VisitOptions = {}): Visited {
  const { method = options.body === undefined ? 'GET' : 'POST', headers = {}, body, onWrite, takes } = options
  const gone = new AbortController()
  const parts: string[] = []
  const draining: (() => void)[] = []
  let status: number | undefined
  let sent: Readonly<Record<string, string>> = {}
  let isEnded = false
  const write = (chunk: string | Uint8Array): boolean => {
    if (isEnded) throw new Error('The gateway wrote after the end.')
    parts.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    onWrite?.(parts.join(''))
    return takes?.() ?? true
  }
  const sink: Sink = {
    head(given, givenHeaders) {
      if (status !== undefined) throw new Error('The gateway sent a second head.')
      status = given
      sent = givenHeaders
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
    body: async () => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  }
  const done = gateway.handle(request, sink)
  return {
    get status() {
      return status
    },
    get headers() {
      return sent
    },
    get text() {
      return parts.join('')
    },
    get isEnded() {
      return isEnded
    },
    done,
    json: () => JSON.parse(parts.join('')) as Record<string, unknown>,
    leave: () => gone.abort(),
    drain() {
      for (const callback of draining.splice(0)) callback()
    },
  }
}
