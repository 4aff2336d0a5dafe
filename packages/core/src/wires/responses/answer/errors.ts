/** Errors: a body of their own when the request failed, a field of the answer when it failed on the way. */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { ApiError, ErrorKind } from '../../../model/answer.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { createFieldReader } from '../../kit/field-reader.ts'

/** The word for each kind in the `type` of an error body. */
const types: { readonly [Kind in ErrorKind]: string } = {
  invalid_request: 'invalid_request_error',
  authentication: 'authentication_error',
  billing: 'insufficient_quota',
  permission: 'permission_error',
  not_found: 'not_found_error',
  conflict: 'conflict_error',
  too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  timeout: 'timeout_error',
  overloaded: 'service_unavailable_error',
  server: 'server_error',
}

/** What providers write as `type` or `code`, and what they mean by it. */
const kinds: ReadonlyMap<string, ErrorKind> = new Map<string, ErrorKind>([
  ...(Object.entries(types) as [ErrorKind, string][]).map(([kind, type]): [string, ErrorKind] => [
    type,
    kind,
  ]),
  ['invalid_request', 'invalid_request'],
  ['invalid_prompt', 'invalid_request'],
  ['context_length_exceeded', 'invalid_request'],
  ['data_residency_mismatch', 'permission'],
  ['invalid_api_key', 'authentication'],
  ['billing_error', 'billing'],
  ['billing_hard_limit_reached', 'billing'],
  ['permission_denied', 'permission'],
  ['not_found', 'not_found'],
  ['model_not_found', 'not_found'],
  ['previous_response_not_found', 'not_found'],
  ['image_file_not_found', 'not_found'],
  ['image_too_large', 'too_large'],
  ['image_file_too_large', 'too_large'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['too_many_requests', 'rate_limit'],
  ['tokens', 'rate_limit'],
  ['requests', 'rate_limit'],
  ['vector_store_timeout', 'timeout'],
  ['timeout', 'timeout'],
  ['overloaded_error', 'overloaded'],
  ['server_overloaded', 'overloaded'],
  ['api_error', 'server'],
  ['model_error', 'server'],
  ['internal_error', 'server'],
])

/** The code says more than the type: a bad key and a missing model are both "invalid requests" by type. */
function kindOf(type: string | undefined, code: string | undefined): ErrorKind {
  const known = kinds.get(code ?? '') ?? kinds.get(type ?? '')
  if (known !== undefined) return known
  const words = `${type ?? ''} ${code ?? ''}`
  return /invalid|image|policy|unsupported/.test(words) ? 'invalid_request' : 'server'
}

export interface DecodedError {
  readonly error: ApiError
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

/** An error object, or the bare text some servers put in its place. */
export function decodeError(value: unknown): DecodedError | undefined {
  if (typeof value === 'string') {
    return { error: { kind: 'server', message: value }, entries: [], quiet: [[['error'], value]] }
  }
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const type = fields.string('type')
  const code = fields.string('code')
  const message = fields.string('message')
  const param = fields.string('param')
  const quiet: ResidueEntry[] = []
  if (type !== undefined) quiet.push([['error', 'type'], type])
  if (own(value, 'message') === undefined) quiet.push([['error', 'message'], undefined])
  return {
    error: { kind: kindOf(type, code), message: message ?? '', ...compact({ code, param }) },
    entries: fields.unread(['error']),
    quiet,
  }
}

/** The body of a failed request. */
export function encodeErrorBody({ kind, message, code, param }: ApiError): JsonObject {
  return { error: { message, type: types[kind], param: param ?? null, code: code ?? null } }
}

/** The `error` of a failed answer, whose code is never empty. */
export function encodeErrorField({ kind, message, code, param }: ApiError): JsonObject {
  return compact({ code: code ?? answerCodes[kind] ?? 'server_error', message, param })
}

const answerCodes: { readonly [Kind in ErrorKind]?: string } = {
  invalid_request: 'invalid_prompt',
  rate_limit: 'rate_limit_exceeded',
}

/** The error over what was left of it on this wire, where a message that was absent left its mark. */
export function restoreError(error: ApiError, left: unknown): unknown {
  if (left === error.message) return left
  const { message, code, param } = error
  const fields = isObject(left) ? left : {}
  const absent = message === '' && Object.hasOwn(fields, 'message')
  return compact({ ...fields, ...compact({ code, param, message: absent ? undefined : message }) })
}
