/**
 * An answer while it is being given. A decoder turns its wire's frames into these, an encoder turns these into
 * its wire's frames, and `foldEvents` puts them together to the answer that would have come whole.
 *
 * Order: `start`, then for each part `part-start`, any number of `part-delta`, `part-end`; parts may overlap,
 * told apart by their index, which counts up from 0 in order of their starts. Then `finish` or `error`, once, last.
 */

import type { Draft } from '../json/json.ts'
import type { ApiError, Finish, Usage } from './answer.ts'
import type { Part } from './conversation.ts'
import type { Residue } from './residue.ts'

export type StreamEvent =
  | StartEvent
  | PartStartEvent
  | PartDeltaEvent
  | PartEndEvent
  | FinishEvent
  | ErrorEvent

export interface StartEvent {
  readonly type: 'start'
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly createdAt?: number
}

export interface PartStartEvent {
  readonly type: 'part-start'
  readonly index: number
  /**
   * The part before anything was said: texts are empty, a call has its id, name and form. A call starts only
   * when its name is known.
   */
  readonly part: Part
}

export interface PartDeltaEvent {
  readonly type: 'part-delta'
  readonly index: number
  /** More of the part's text: what is said, refused, thought, or written as arguments. */
  readonly text: string
  /**
   * The text as the source wrote it between the quotes of JSON, where it can stand in any other JSON as it is. It is no
   * field of its own: who copies an event to change it has to write the text anew.
   */
  readonly escapedText?: string | undefined
  /** For reasoning: whether it is the summary, and which section of it. */
  readonly summary?: boolean
  readonly section?: number
}

export interface PartEndEvent {
  readonly type: 'part-end'
  readonly index: number
  /** The whole part, as the unstreamed answer would hold it. */
  readonly part: Part
}

export interface FinishEvent {
  readonly type: 'finish'
  readonly finish: Finish
  readonly usage?: Usage
  /** What only the source wire says of the answer as a whole. */
  readonly residue?: Residue
}

/** The answer failed. Parts that were begun have been ended before, as far as they got. */
interface ErrorEvent {
  readonly type: 'error'
  readonly error: ApiError
}

/** A delta; with `letters`, one that need not be written as JSON again. */
export function textDelta(index: number, text: string, letters?: string | undefined): PartDeltaEvent {
  return new TextDelta(index, text, letters)
}

class TextDelta implements PartDeltaEvent {
  readonly type = 'part-delta'
  readonly index: number
  readonly text: string
  readonly #letters: string | undefined

  constructor(index: number, text: string, letters: string | undefined) {
    this.index = index
    this.text = text
    this.#letters = letters
  }

  get escapedText(): string | undefined {
    return this.#letters
  }
}

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

export function finishEvent(
  finish: Finish,
  usage: Usage | undefined,
  residue: Residue | undefined,
): FinishEvent {
  const event: Draft<FinishEvent> = { type: 'finish', finish }
  if (usage !== undefined) event.usage = usage
  if (residue !== undefined) event.residue = residue
  return event
}
