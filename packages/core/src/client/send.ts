/** The caller's function that sends requests, with any client. */
import { show } from '../json/text.ts'
import type { Signal } from '../runtime/host.ts'

/** Whatever sends bodies to a model and returns its answers. */
export interface Sender {
  // A method, not a function property: methods are bivariant, so the caller may give `body` its client's type.
  /**
   * Sends a request's body and returns, possibly as a promise, the answer's body, the `Response` of a fetch, or a
   * stream of event objects, strings or bytes. The return values of the official clients' methods fit.
   */
  send(body: object, context: SendContext): unknown
}

/** Sends a body to a model: `fetch`, or a method of an official client. */
export type Send = Sender['send']

/** What a sender knows beside the body. */
export interface SendContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal: Signal
  readonly wire: string
}

export function checkSend(send: unknown): void {
  if (typeof send !== 'function')
    throw new TypeError(`"send" must be a function that sends a request's body; got ${show(send)}.`)
}
