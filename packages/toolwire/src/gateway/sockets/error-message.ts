/** The messages that tell a client on a socket what was refused. The socket stays usable. */
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
  return errorMessage({ ...errorOf(failure, wire), headers: { ...failure.headers, ...more }, lane })
}

/** What a client asked for beside a response has failed, and no response has. */
export function controlFailed(
  type: string,
  failure: GatewayError,
  wire: WireDefinition,
  fields: JsonObject & { readonly stream_id: string | undefined },
): string {
  return JSON.stringify({ type, sequence_number: 0, error: errorOf(failure, wire).error, ...fields })
}

function errorOf(failure: GatewayError, wire: WireDefinition): Pick<ErrorParts, 'status' | 'error'> {
  const { value, status } = errorBody(failure, wire)
  const error = isObject(value) && isObject(value.error) ? value.error : { message: failure.message }
  return { status, error }
}
