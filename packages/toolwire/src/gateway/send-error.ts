/** Any error as one the client can read, and never more of it than the client should know. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { StoreError } from '../store/store-error.ts'
import type { ExchangeFacts } from '../telemetry/observer.ts'
import type { RequestContext } from './context.ts'
import { sendJson } from './context.ts'
import { errorBody, GatewayError, unavailable } from './errors.ts'

export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreError) return fromStore(error)
  // What a client sends is measured before it is read, so it is the answer that could not be written.
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
    default:
      return unavailable(`The store is not available: ${reason}`, {
        code: 'store_unavailable',
        status: 503,
        cause: error,
      })
  }
}

/** For whoever watches: what the client was told, and what it was not. */
export function recordFailure(facts: ExchangeFacts, error: GatewayError): void {
  const { code, kind, message, cause } = error
  facts.failure = { code: code ?? kind, message }
  if (code === 'client_gone') facts.abandoned = true
  if (cause !== undefined) facts.internal = insideOf(cause)
}

/** For whoever watches: that what is left of an exchange that had failed already could not be kept either. */
export function recordSaveFailure(facts: ExchangeFacts, error: unknown): void {
  facts.internal ??= insideOf(error)
}

const deepestCause = 5

function insideOf(error: unknown): string {
  const parts: string[] = []
  let cause = error
  for (let depth = 0; depth < deepestCause && cause !== undefined; depth++) {
    parts.push(cause instanceof Error ? (cause.stack ?? String(cause)) : String(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return parts.join('\ncaused by: ')
}

export function sendError(
  context: Pick<RequestContext, 'sink' | 'headers' | 'observation'>,
  error: GatewayError,
  wire: Wire,
): void {
  const { value, status } = errorBody(error, wire)
  sendJson(context, status, value, error.headers)
}
