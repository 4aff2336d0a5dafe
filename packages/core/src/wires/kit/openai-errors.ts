/** The words for errors that both OpenAI wires use, as of November 2026. */
import type { ErrorKind } from '../../model/answer.ts'

/** The `type` that is written for each kind. */
export const errorTypes: { readonly [Kind in ErrorKind]: string } = {
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

/** Further words that providers write as `type` or `code`. */
const otherWords: { readonly [Kind in ErrorKind]?: readonly string[] } = {
  invalid_request: ['BadRequestError', 'invalid_request', 'invalid_prompt', 'context_length_exceeded'],
  authentication: ['invalid_api_key', 'invalid_authentication'],
  billing: ['billing_error', 'billing_hard_limit_reached'],
  permission: ['permission_denied', 'PermissionDeniedError', 'data_residency_mismatch'],
  not_found: [
    'NotFoundError',
    'not_found',
    'model_not_found',
    'previous_response_not_found',
    'image_file_not_found',
  ],
  too_large: ['image_too_large', 'image_file_too_large'],
  rate_limit: ['rate_limit_exceeded', 'too_many_requests', 'requests', 'tokens'],
  timeout: ['timeout', 'vector_store_timeout'],
  overloaded: ['overloaded_error', 'engine_overloaded', 'server_overloaded'],
  server: ['api_error', 'model_error', 'internal_error', 'internal_server_error'],
}

const kinds: ReadonlyMap<string, ErrorKind> = new Map(
  (Object.entries(errorTypes) as [ErrorKind, string][]).flatMap(([kind, type]) =>
    [type, ...(otherWords[kind] ?? [])].map(word => [word, kind] as const),
  ),
)

/** Servers that imitate OpenAI often put the HTTP status into `code`. */
const kindsByStatus: ReadonlyMap<number, ErrorKind> = new Map([
  [400, 'invalid_request'],
  [401, 'authentication'],
  [402, 'billing'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'too_large'],
  [422, 'invalid_request'],
  [429, 'rate_limit'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
])

/** The code is more exact than the type: a bad key has the type of any invalid request. */
export function kindOfError(type: string | undefined, code: unknown): ErrorKind {
  const word = typeof code === 'string' ? code : undefined
  const known = kinds.get(word ?? '') ?? kinds.get(type ?? '')
  if (known !== undefined) return known
  const status = word !== undefined || typeof code === 'number' ? kindsByStatus.get(Number(code)) : undefined
  if (status !== undefined) return status
  return /invalid|image|policy|unsupported/.test(`${type ?? ''} ${word ?? ''}`) ? 'invalid_request' : 'server'
}

/** Whether the kind says as much as the type does. */
export function isKnownType(type: string, kind: ErrorKind): boolean {
  return kinds.get(type) === kind
}
