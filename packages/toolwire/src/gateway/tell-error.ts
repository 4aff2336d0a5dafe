/** Any error as one the client can read, and never more of it than the client should know. */
import type { Wire } from '@toolwire/core'
import { StoreError } from '../store/store-error.ts'
import type { Visit } from './core.ts'
import { sendJson } from './core.ts'
import { errorBody, GatewayError } from './gateway-error.ts'

export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreError) return fromStore(error)
  return new GatewayError('server', 'The gateway failed at this request. Its log says why.', {
    code: 'internal_error',
    status: 500,
  })
}

function fromStore({ code, message }: StoreError): GatewayError {
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
      return new GatewayError('overloaded', `The store is not available: ${message}`, {
        code: 'store_unavailable',
        status: 503,
      })
  }
}

export function tellError(
  visit: Pick<Visit, 'sink' | 'headers' | 'observation'>,
  error: GatewayError,
  wire: Wire,
): void {
  const { value, status } = errorBody(error, wire)
  sendJson(visit, status, value, error.headers)
}
