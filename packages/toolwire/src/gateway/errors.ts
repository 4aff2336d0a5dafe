/** What the gateway itself refuses or fails at. The client gets it in the format of its own wire. */
import type { Wire } from '@toolwire/core'
import { encodeError } from '@toolwire/core'
import { StoreError } from '../store/store-error.ts'
import type { ExchangeFacts } from '../telemetry/observer.ts'

export type FailureKind =
  | 'invalid_request'
  | 'authentication'
  | 'billing'
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
  /** What the request asks for and cannot have, by name. */
  readonly unsupported?: readonly string[]
  /** When the wire's usual status for this kind does not fit. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** For the log, never for the client. */
  readonly cause?: unknown
}

/** A failure that a client is told of, in its own wire. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError'
  readonly kind: FailureKind
  readonly code: string | undefined
  readonly param: string | undefined
  readonly unsupported: readonly string[] | undefined
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.kind = kind
    this.code = options.code
    this.param = options.param
    this.unsupported = options.unsupported
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

export function clientGone(): GatewayError {
  return new GatewayError('server', 'The client has gone.', { code: 'client_gone', status: 499 })
}

/** Long enough for a restart, and short enough for a client that waits. */
export const retryLater: Readonly<Record<string, string>> = { 'retry-after': '5' }

/** The gateway itself cannot take the request now; the answer says when to try again. */
export function unavailable(message: string, options: Omit<FailureOptions, 'headers'>): GatewayError {
  return new GatewayError('overloaded', message, { ...options, headers: retryLater })
}

export function shuttingDown(): GatewayError {
  return unavailable('The gateway is shutting down.', { code: 'shutting_down', status: 503 })
}

export function bodyTooLarge(bytes: number): GatewayError {
  return new GatewayError(
    'too_large',
    `The request body is longer than ${bytes} bytes. Send less, or raise "limits.bodyBytes".`,
    { code: 'body_too_large' },
  )
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
  const { kind, message, code, param, unsupported } = error
  const { value, status } = encodeError(wire, {
    kind,
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
    ...(unsupported !== undefined && { unsupported }),
  })
  return { value, status: error.status ?? status }
}

/** Any error as one that the client can read. What is not meant for clients stays in `cause`. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreError) return fromStore(error)
  // Requests are measured before they are read, so it is the answer that could not be written.
  if (error instanceof RangeError) {
    return new GatewayError('server', 'The answer is nested too deep, or is too long, to be passed on.', {
      code: 'answer_too_deep',
      status: 502,
      cause: error,
    })
  }
  return new GatewayError('server', 'The gateway failed at this request. Its log says why.', {
    code: 'internal_error',
    status: 500,
    cause: error,
  })
}

function fromStore(error: StoreError): GatewayError {
  const { code, message, reason } = error
  switch (code) {
    case 'conversation_not_found':
      return new GatewayError('not_found', message, { code })
    case 'invalid':
    case 'too_large':
    case 'duplicate_item':
    case 'already_exists':
    case 'unknown_cursor':
      return new GatewayError('invalid_request', message, { code, status: 400 })
    case 'response_deleted':
      return new GatewayError('not_found', message, { code })
    case 'lease_lost':
      return unavailable(message, { code, status: 503 })
    case 'record_damaged':
      return new GatewayError('server', message, { code, status: 500, cause: error })
    default:
      return unavailable(`The store is not available: ${reason}`, {
        code: 'store_unavailable',
        status: 503,
        cause: error,
      })
  }
}

/** Records for observers the failure as the client gets it, and its cause, which the client does not get. */
export function recordFailure(facts: ExchangeFacts, error: GatewayError): void {
  const { code, kind, message, cause } = error
  facts.failure = { code: code ?? kind, message }
  // Who cancels a background response wants no more of it, as one who leaves.
  if (code === 'client_gone' || code === 'cancelled') facts.abandoned = true
  if (cause !== undefined) facts.internal = describeCause(cause)
}

/** Records for observers that the rest of an exchange that had already failed could not be stored either. */
export function recordSaveFailure(facts: ExchangeFacts, error: unknown): void {
  // Somebody wanted it so.
  if (isOver(error)) return
  facts.internal ??= describeCause(error)
}

/** Whether somebody else has ended or deleted the response, which stays so. */
export function isOver(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'response_deleted' || error.code === 'lease_lost')
}

const deepestCause = 5

function describeCause(error: unknown): string {
  const parts: string[] = []
  let cause = error
  for (let depth = 0; depth < deepestCause && cause !== undefined; depth++) {
    parts.push(cause instanceof Error ? (cause.stack ?? String(cause)) : String(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return parts.join('\ncaused by: ')
}
