/** Kinds of errors and HTTP statuses. */
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

/** Statuses in addition to the usual one of each kind. */
const otherStatuses: ReadonlyMap<number, ErrorKind> = new Map([
  [408, 'timeout'],
  [422, 'invalid_request'],
  [529, 'overloaded'],
])

export const kindOfStatus: ReadonlyMap<number, ErrorKind> = new Map([
  ...(Object.entries(errorStatus) as [ErrorKind, number][]).map(([kind, status]) => [status, kind] as const),
  ...otherStatuses,
])
