/** Why a socket takes a message no further. */
import { GatewayError } from '../errors.ts'
import { interruptedCode } from '../responses-api/interrupted.ts'

export const limitCode = 'websocket_connection_limit_reached'

export function noSteering(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'This gateway cannot steer a response. Wait until it has ended, then send the input with "response.create".',
    { code: 'steering_not_supported', status: 400 },
  )
}

/** In the word that clients know for it: they send the input with another response. */
export function noInjecting(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'This gateway gives no input to a response that is being written. Wait until it has ended, then send the input with "response.create".',
    { code: 'response_not_found', status: 400 },
  )
}

export function unknownType(type: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `Messages of the type "${type.slice(0, 100)}" are not known here. Send "response.create".`,
    { code: 'unknown_message_type', param: 'type', status: 400 },
  )
}

export function tooOld(milliseconds: number): GatewayError {
  return new GatewayError(
    'invalid_request',
    `A socket is open for at most ${milliseconds / 60_000} minutes. Open a new one to go on.`,
    { code: limitCode, status: 400 },
  )
}

export function tooMany(what: string): GatewayError {
  return new GatewayError('rate_limit', `This socket has ${what} already. Wait for an answer.`, {
    code: 'too_many_requests',
  })
}

export function noBackground(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'A socket has no background responses. Leave "background" out, or send POST /v1/responses.',
    { code: 'unsupported_parameter', param: 'background', status: 400 },
  )
}

export function interrupted(): GatewayError {
  return new GatewayError('invalid_request', 'The client interrupted the response.', {
    code: interruptedCode,
    status: 499,
  })
}

export function notActive(id: string | undefined): GatewayError {
  const which = id === undefined ? 'No response is' : `Response '${id.slice(0, 100)}' is not`
  return new GatewayError('invalid_request', `${which} being written on this lane.`, {
    code: 'response_not_active',
    status: 400,
  })
}
