/**
 * What a scripted model says in one turn, in terms that fit every wire, and short ways to write it:
 *
 *     script: [calls({ name: 'get_weather', arguments: { city: 'Oslo' } }), says('It rains.')]
 */

import type { JsonObject } from '../json/object.ts'
import type { ErrorKind, FinishReason, Usage } from '../model/answer.ts'

export interface ScriptedTurn {
  readonly text?: string
  /** What the model thinks first. With a seal it is signed or encrypted, as the wire's own reasoning is. */
  readonly reasoning?: string | { readonly text: string; readonly seal?: string }
  readonly refusal?: string
  readonly calls?: readonly ScriptedCall[]
  /** Follows from the rest unless stated: `calls`, `refusal` or `stop`. */
  readonly finish?: FinishReason
  /** None unless stated: zero tokens. */
  readonly usage?: Omit<Usage, 'residue'>
  /** The request is refused with this HTTP status. Follows from the error's kind unless stated. */
  readonly status?: number
  /** Why the request is refused, told in the wire's own words. A text is the message alone. */
  readonly error?: string | ScriptedError
  /** The body to answer with, verbatim: a recorded answer, or the page of a proxy. Given alone, or with a status. */
  readonly body?: JsonObject | string
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** What goes wrong on the way. */
  readonly fault?: Fault
}

export type ScriptedCall = {
  readonly name: string
  readonly namespace?: string
  /** Made up, one after the other, unless given. */
  readonly id?: string
} & (
  | {
      /** A text is sent as it is, so that a model that writes bad JSON can be played. */
      readonly arguments: object | string
      readonly input?: never
    }
  | {
      /** The free text of a custom tool. */
      readonly input: string
      readonly arguments?: never
    }
)

export interface ScriptedError {
  readonly message: string
  /** Follows from the status unless stated. */
  readonly kind?: ErrorKind
  readonly code?: string
  /** The field of the request that is wrong. */
  readonly param?: string
}

/**
 * The numbers count server-sent events that arrive in good order first. An answer that is not streamed has no
 * events; there `cut`, `reset` and `malformed` spoil the one body, `errorFrame` refuses the request, `stall`
 * never answers, and `duplicate` does nothing.
 */
export type Fault =
  /** The stream ends, without its last event. */
  | { readonly cut: number }
  /** The connection breaks. */
  | { readonly reset: number }
  /** The stream ends in an error, told as the wire tells it once it has begun to answer. */
  | { readonly errorFrame: number; readonly error?: string | ScriptedError }
  /** The next event's JSON is broken; the others follow. */
  | { readonly malformed: number }
  /** Nothing more comes, until the signal aborts or the reader leaves. */
  | { readonly stall: number }
  /** The next event comes twice. */
  | { readonly duplicate: number }
  /** There is no server. */
  | 'unreachable'

/** A turn of plain text. */
export function says(text: string, more: Omit<ScriptedTurn, 'text'> = {}): ScriptedTurn {
  return { ...more, text }
}

/** A turn that calls tools, one or several at once. */
export function calls(...list: readonly ScriptedCall[]): ScriptedTurn {
  return { calls: list }
}

/** A request that is refused. */
export function fails(
  status: number,
  error: string | ScriptedError,
  headers: Readonly<Record<string, string>> = {},
): ScriptedTurn {
  return { status, error, headers }
}
