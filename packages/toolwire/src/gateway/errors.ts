/** What the gateway itself refuses or fails at. Told to the client in the words of its own wire. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { encodeError } from '@toolwire/core'

export type FailureKind =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limit'
  | 'timeout'
  | 'overloaded'
  | 'server'

export interface FailureOptions {
  readonly code?: string
  /** The field of the request that is wrong. */
  readonly param?: string
  /** When the wire's usual status for this kind does not fit. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** What really happened: for the log, never for the client. */
  readonly cause?: unknown
}

export class GatewayError extends Error {
  override readonly name: string = 'GatewayError'
  readonly kind: FailureKind
  readonly code: string | undefined
  readonly param: string | undefined
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.kind = kind
    this.code = options.code
    this.param = options.param
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

export function clientGone(): GatewayError {
  return new GatewayError('server', 'The client has gone.', { code: 'client_gone', status: 499 })
}

/** Long enough for a restart, and short enough for a client that waits. */
export const retryLater: Readonly<Record<string, string>> = { 'retry-after': '5' }

/** The gateway itself cannot take the request now, and tells when to try again. */
export function unavailable(message: string, options: Omit<FailureOptions, 'headers'>): GatewayError {
  return new GatewayError('overloaded', message, { ...options, headers: retryLater })
}

export function shuttingDown(): GatewayError {
  return unavailable('The gateway is shutting down.', { code: 'shutting_down', status: 503 })
}

export function stalled(milliseconds: number): GatewayError {
  return new GatewayError('timeout', `The client took nothing of its answer for ${milliseconds} ms.`, {
    code: 'client_stalled',
    status: 408,
  })
}

export function outOfTime(milliseconds: number): GatewayError {
  return new GatewayError('timeout', `The exchange took longer than ${milliseconds} ms.`, {
    code: 'total_timeout',
    status: 504,
  })
}

/** The error as the wire of the client writes it, and the status to send it with. */
export function errorBody(error: GatewayError, wire: Wire): { value: unknown; status: number } {
  const { kind, message, code, param } = error
  const { value, status } = encodeError(wire, {
    kind,
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
  })
  return { value, status: error.status ?? status }
}
