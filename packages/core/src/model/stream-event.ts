/**
 * The events of a streamed answer. A decoder converts its wire's frames to these events, an encoder converts them to its
 * wire's frames, and `foldEvents` assembles the complete answer from them.
 *
 * Order: `start`; for each part `part-start`, any number of `part-delta`, `part-end`; last, once, `finish` or `error`.
 * Parts may overlap. They are identified by their index, which counts from 0 in the order of their starts.
 */

import type { Draft } from '../json/object.ts'
import type { ApiError, Finish, ServedTier, Usage } from './answer.ts'
import type { Part } from './conversation.ts'
import type { Residue } from './residue.ts'

/** A step of a streamed answer. */
export type StreamEvent =
  | StartEvent
  | PartStartEvent
  | PartDeltaEvent
  | PartEndEvent
  | FinishEvent
  | ErrorEvent

/** The first event of a stream. */
export interface StartEvent {
  readonly type: 'start'
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly createdAt?: number
}

/** The beginning of a part of a stream. */
export interface PartStartEvent {
  readonly type: 'part-start'
  readonly index: number
  /**
   * The part without content: texts are empty, a call has its id, name and form. A call starts only when its name is
   * known.
   */
  readonly part: Part
}

/** More text of a part that a stream has opened. */
export interface PartDeltaEvent {
  readonly type: 'part-delta'
  readonly index: number
  /** More of the part's text, refusal, reasoning or arguments. */
  readonly text: string
  /**
   * The text in JSON escapes, as the source wrote it, so that an encoder need not escape it again. Not enumerable, so
   * `{ ...event }` drops it and a changed text is escaped again.
   */
  readonly escapedText?: string | undefined
  /** For reasoning: whether the text belongs to the summary, and to which section. */
  readonly summary?: boolean
  readonly section?: number
}

/** The end of a part of a stream, with the whole part. */
export interface PartEndEvent {
  readonly type: 'part-end'
  readonly index: number
  /** The complete part, as an answer without streaming would have it. */
  readonly part: Part
  /** The text of the part is certain to be that of its deltas: set for long texts, which are then not compared. */
  readonly repeatsDeltas?: boolean
}

/** The last event of a stream that ended well. */
export interface FinishEvent {
  readonly type: 'finish'
  readonly finish: Finish
  readonly usage?: Usage
  readonly serviceTier?: ServedTier
  /** Fields of the answer that only the source wire has. */
  readonly residue?: Residue
}

/** The answer failed. Open parts have been ended before, with the content they had. */
export interface ErrorEvent {
  readonly type: 'error'
  readonly error: ApiError
  /** Nothing went wrong: somebody wanted it to end. */
  readonly isCancelled?: true
}

/** Makes an event with more text of an open part. */
export function textDelta(index: number, text: string, escapedText?: string | undefined): PartDeltaEvent {
  return new TextDelta(index, text, escapedText)
}

/** In characters. From here on a text is handled so that it is there once. */
export const longTextLength: number = 1024 * 1024

/** The end of a part whose text was put together from the deltas. */
export function repeatingEnd(index: number, part: Part, textLength: number): PartEndEvent {
  const event: Draft<PartEndEvent> = { type: 'part-end', index, part }
  if (textLength >= longTextLength) event.repeatsDeltas = true
  return event
}

class TextDelta implements PartDeltaEvent {
  readonly type = 'part-delta'
  readonly index: number
  readonly text: string
  readonly #escapedText: string | undefined

  constructor(index: number, text: string, escapedText: string | undefined) {
    this.index = index
    this.text = text
    this.#escapedText = escapedText
  }

  get escapedText(): string | undefined {
    return this.#escapedText
  }
}

/** Makes the first event of a stream. */
export function startEvent(
  id: string | undefined,
  model: string | undefined,
  createdAt?: number | undefined,
): StartEvent {
  const event: Draft<StartEvent> = { type: 'start' }
  if (id !== undefined) event.id = id
  if (model !== undefined) event.model = model
  if (createdAt !== undefined) event.createdAt = createdAt
  return event
}

/** Makes the last event of a stream. */
export function finishEvent(
  finish: Finish,
  usage: Usage | undefined,
  residue: Residue | undefined,
  serviceTier?: ServedTier | undefined,
): FinishEvent {
  const event: Draft<FinishEvent> = { type: 'finish', finish }
  if (usage !== undefined) event.usage = usage
  if (residue !== undefined) event.residue = residue
  if (serviceTier !== undefined) event.serviceTier = serviceTier
  return event
}
