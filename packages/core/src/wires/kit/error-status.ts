import type { ErrorKind } from '../../model/answer.ts'

/** The HTTP status of each kind of error. */
export const errorStatus: { readonly [Kind in ErrorKind]: number } = {
  invalid_request: 400,
  authentication: 401,
  billing: 402,
  permission: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limit: 429,
  timeout: 504,
  overloaded: 503,
  server: 500,
}
