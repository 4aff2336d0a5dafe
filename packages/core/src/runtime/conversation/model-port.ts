/**
 * The interface between the loop or the steps and an LLM, independent of any wire: a request and an answer of the
 * neutral model. The `client` room implements it with a wire and a `send` function.
 */
import type { JsonObject } from '../../json/object.ts'
import type { Answer, ErrorKind } from '../../model/answer.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Request } from '../../model/request.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { Signal } from '../host.ts'

/** A model as runtime and steps see it, whatever wire it speaks. */
export interface ModelPort {
  /**
   * Rejects if sending failed, the server answered with an error, or it was aborted. An answer that failed midway is
   * returned as an answer.
   */
  ask(request: Request, options?: AskOptions): Promise<Reply>
  /** Waits by the port's clock, or until the signal aborts. Without it, nothing waits between two requests. */
  wait?(milliseconds: number, signal?: Signal): Promise<void>
}

/** How one request to a model can be watched and ended. */
export interface AskOptions {
  readonly signal?: Signal
  /** Receives the answer as events while it streams. An answer that is not streamed is emitted as events too. */
  readonly onEvent?: (event: StreamEvent) => void
}

/** An answer of a model, as decoded and as it came. */
export interface Reply {
  readonly answer: Answer
  /** The answer in the wire's own shape; a streamed one is assembled. */
  readonly body: JsonObject
  /** What was changed or lost in the request or the answer. */
  readonly diagnostics: readonly Diagnostic[]
}

/** `connection`: there was no answer, or it could not be read. */
export type ModelErrorKind = ErrorKind | 'connection'

/** What is known of a failed request to a model. */
export interface ModelErrorDetails {
  readonly kind: ModelErrorKind
  /** The HTTP status, if there was one. */
  readonly status?: number | undefined
  /** The headers of the server's answer, with names in small letters. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The server's own code, or that of the failed connection. */
  readonly code?: string | undefined
  /** The field of the request that is wrong. */
  readonly param?: string | undefined
  /** The body of the server's answer. */
  readonly body?: unknown
  readonly cause?: unknown
}

/** A request failed: it could not be sent, or the server answered with an error. */
export class ModelError extends Error {
  override readonly name: string = 'ModelError'
  readonly kind: ModelErrorKind
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** How long the server asks to wait before the next request, if it does. */
  readonly retryAfterMs: number | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  readonly body: unknown

  constructor(message: string, { kind, status, headers = {}, code, param, body, cause }: ModelErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.status = status
    this.headers = headers
    this.retryAfterMs = retryAfter(headers)
    this.code = code
    this.param = param
    this.body = body
  }
}

/** `retry-after` in seconds or as a date, relative to the server's own clock, and the more exact `retry-after-ms`. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = numberOf(headers['retry-after-ms'])
  if (exact !== undefined) return exact
  const given = headers['retry-after']
  const seconds = numberOf(given)
  if (seconds !== undefined || given === undefined) return seconds === undefined ? undefined : seconds * 1000
  const wait = Date.parse(given) - Date.parse(headers.date ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

function numberOf(text: string | undefined): number | undefined {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return number >= 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}
