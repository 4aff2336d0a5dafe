/**
 * The last words of a Responses stream whose answer could not be kept: it must not end as if it could be continued.
 * Only that wire has answers that are kept.
 */
import type { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'

const goodEnd = /^data: ?(\{.*"type": ?"response\.(?:completed|incomplete)".*\})$/m

export function failedEnd(last: string, error: GatewayError): string {
  return last
    .split(/(?<=\n\n)/)
    .map(frame => {
      const data = goodEnd.exec(frame)?.[1]
      return data === undefined ? frame : failed(JSON.parse(data) as JsonObject, error)
    })
    .join('')
}

function failed(event: JsonObject, { code = 'server_error', message }: GatewayError): string {
  const number = Number(event.sequence_number)
  const error = { type: 'server_error', code, message, param: null }
  const response = {
    ...(event.response as JsonObject),
    status: 'failed',
    completed_at: null,
    error: { code, message },
  }
  return (
    eventFrame({ type: 'error', error, sequence_number: number }) +
    eventFrame({ type: 'response.failed', response, sequence_number: number + 1 })
  )
}

export function eventFrame(event: { readonly type: string } & JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
