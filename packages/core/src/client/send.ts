/** How a request leaves: the caller's own function, over whatever client it likes. */
import type { Signal } from '../runtime/host.ts'

export interface Sender {
  // A method, not a function property: whoever writes it may name the body's type, as its client wants it.
  /**
   * Sends a request's body and gives, or promises, what came back: the answer's body, the `Response` of a fetch, or
   * a stream of event objects, texts or bytes. What the official clients' methods return fits as it is.
   */
  send(body: object, context: SendContext): unknown
}

export type Send = Sender['send']

export interface SendContext {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: Signal
  readonly wire: string
}
