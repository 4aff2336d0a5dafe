/**
 * How the loop and the steps speak with a model without knowing a wire: a request of the neutral model goes
 * out, an answer of the neutral model comes back. The `talk` room makes one of these from a wire and a `send`.
 */

import type { JsonObject } from '../../json/object.ts'
import type { Answer } from '../../model/answer.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Request } from '../../model/request.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { Signal } from '../host.ts'

export interface ModelPort {
  /**
   * Rejects when sending failed, the server answered with an error, or it was aborted; an answer that says it
   * failed on the way is an answer.
   */
  ask(request: Request, options?: AskOptions): Promise<Reply>
}

export interface AskOptions {
  readonly signal?: Signal
  /** Hears the answer while it is being given. An answer that came whole is told as one run of events too. */
  readonly onEvent?: (event: StreamEvent) => void
}

export interface Reply {
  readonly answer: Answer
  /** The answer in the wire's own shape; a streamed one is put together. */
  readonly body: JsonObject
  /** What of the request or the answer could not be carried. */
  readonly diagnostics: readonly Diagnostic[]
}
