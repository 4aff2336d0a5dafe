/** The words for errors that both OpenAI wires use, as of November 2026. */
import type { ErrorKind } from '../../model/answer.ts'
import { kindOfStatus } from './error-status.ts'

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

/** The code is more exact than the type: a bad key has the type of any invalid request. */
export function kindOfError(type: string | undefined, code: unknown): ErrorKind {
  const word = typeof code === 'string' ? code : undefined
  const known = kinds.get(word ?? '') ?? kinds.get(type ?? '')
  if (known !== undefined) return known
  // Servers that imitate OpenAI often put the HTTP status into `code`.
  const kind = word !== undefined || typeof code === 'number' ? kindOfStatus.get(Number(code)) : undefined
  if (kind !== undefined && kind !== 'server') return kind
  return /invalid|image|policy|unsupported/.test(`${type ?? ''} ${word ?? ''}`) ? 'invalid_request' : 'server'
}

/** Whether the kind says as much as the type does. */
export function isKnownType(type: string, kind: ErrorKind): boolean {
  return kinds.get(type) === kind
}
