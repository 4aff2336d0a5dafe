/** A request that came to nothing: it could not be sent, or the server answered with an error. */
import type { ErrorKind } from '../../model/answer.ts'

/** `connection`: no answer arrived at all, or not one that can be read. */
export type ModelErrorKind = ErrorKind | 'connection'

export interface ModelErrorDetails {
  readonly kind: ModelErrorKind
  /** The HTTP status, where there was one. */
  readonly status?: number | undefined
  /** The server's own code, or that of the failed connection. */
  readonly code?: string | undefined
  /** The field of the request that is wrong. */
  readonly param?: string | undefined
  /** What the server said, as it said it. */
  readonly body?: unknown
  readonly cause?: unknown
}

export class ModelError extends Error {
  override readonly name: string = 'ModelError'
  readonly kind: ModelErrorKind
  readonly status: number | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  readonly body: unknown

  constructor(message: string, { kind, status, code, param, body, cause }: ModelErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.status = status
    this.code = code
    this.param = param
    this.body = body
  }
}
