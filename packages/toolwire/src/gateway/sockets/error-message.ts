/** The message that tells a client on a socket that its request was refused. The socket stays usable. */
import type { WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import type { GatewayError } from '../errors.ts'
import { errorBody } from '../errors.ts'
import type { HeaderMap } from '../http/contract.ts'
import type { JsonObject } from '../http/json-body.ts'

interface ErrorParts {
  readonly status: number
  readonly error: JsonObject
  readonly headers: HeaderMap
  readonly lane: string | undefined
}

/** Some clients look for the headers beside the error, and some in it. */
export function errorMessage({ status, error, headers, lane }: ErrorParts): string {
  const { type = 'server_error', code = null, message = '', param = null } = error
  return JSON.stringify({
    type: 'error',
    status,
    error: { ...error, type, code, message, param, headers },
    headers,
    ...(lane !== undefined && { stream_id: lane }),
  })
}

export function refusalMessage(
  failure: GatewayError,
  wire: WireDefinition,
  lane: string | undefined,
  more: HeaderMap = {},
): string {
  const { value, status } = errorBody(failure, wire)
  const error = isObject(value) && isObject(value.error) ? value.error : { message: failure.message }
  return errorMessage({ status, error, headers: { ...failure.headers, ...more }, lane })
}
