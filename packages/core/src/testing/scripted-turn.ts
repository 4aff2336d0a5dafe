/**
 * One turn of a scripted model, in terms of every wire, and short ways to write it:
 *
 *     script: [calls({ name: 'get_weather', arguments: { city: 'Oslo' } }), says('It rains.')]
 */

import type { JsonObject } from '../json/object.ts'
import type { ErrorKind, FinishReason, Usage } from '../model/answer.ts'

/** What a scripted model says in one answer. */
export interface ScriptedTurn {
  readonly text?: string
  /** Comes before the text. With a seal it is signed or encrypted, as the reasoning of the wire is. */
  readonly reasoning?: string | { readonly text: string; readonly seal?: string }
  readonly refusal?: string
  readonly calls?: readonly ScriptedCall[]
  /** By default it follows from the rest: `calls`, `refusal` or `stop`. */
  readonly finish?: FinishReason
  /** Zero tokens by default. */
  readonly usage?: Omit<Usage, 'residue'>
  /** The request is refused with this HTTP status. By default it follows from the kind of the error. */
  readonly status?: number
  /** Why the request is refused, written in the format of the wire. A string is the message alone. */
  readonly error?: string | ScriptedError
  /** The body to answer with, verbatim: a recorded answer, or the page of a proxy. Alone, or with a status. */
  readonly body?: JsonObject | string
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How the delivery of the answer fails. */
  readonly fault?: Fault
}

/** A call that a scripted model makes. */
export type ScriptedCall = {
  readonly name: string
  readonly namespace?: string
  /** Counts up by default. */
  readonly id?: string
} & (
  | {
      /** A string is sent unchanged, so that a model can write invalid JSON. */
      readonly arguments: object | string
      readonly input?: never
    }
  | {
      /** The free text of a custom tool. */
      readonly input: string
      readonly arguments?: never
    }
)

/** A refusal that a scripted model answers with. */
export interface ScriptedError {
  readonly message: string
  /** By default it follows from the status. */
  readonly kind?: ErrorKind
  readonly code?: string
  /** The field of the request that is wrong. */
  readonly param?: string
}

/**
 * The number is how many server-sent events arrive before the fault. An answer that is not streamed has no events:
 * there `cut`, `reset` and `malformed` break the body, `errorFrame` refuses the request, `stall` never answers, and
 * `duplicate` does nothing.
 */
export type Fault =
  /** The stream ends, without its last event. */
  | { readonly cut: number }
  /** The connection breaks. */
  | { readonly reset: number }
  /** The stream ends with the error event of the wire. */
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
