/** Numbers the parts of a streamed answer in the order of their starts, and collects the events about them. */

import type { JsonObject } from '../../../json/object.ts'
import { emptyPart, partEvents } from '../../../model/answer-events.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Path } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { textDelta } from '../../../model/stream-event.ts'
import { responsesResidue } from '../residue.ts'

export class PartTracker {
  #events: StreamEvent[] = []
  #count = 0
  readonly #ended = new Map<string, Part>()
  #lostCall: Part | undefined

  /** Starts a part and returns its index. */
  start(part: Part): number {
    this.#events.push({ type: 'part-start', index: this.#count, part })
    return this.#count++
  }

  delta(index: number, text: string, escaped?: string | undefined): void {
    if (text !== '') this.#events.push(textDelta(index, text, escaped))
  }

  /** More of a section of the summary of a reasoning, or of its text. */
  sectionDelta(index: number, text: string, summary: boolean, section: number): void {
    if (text !== '') this.#events.push({ type: 'part-delta', index, text, summary, section })
  }

  end(index: number, part: Part): void {
    this.#ended.set(part.kind, part)
    this.#events.push({ type: 'part-end', index, part })
  }

  /** A call that nobody can run, because it has no name. */
  loseCall(value: JsonObject, path: Path): void {
    this.#lostCall = { kind: 'opaque', wire: 'responses', value, path }
  }

  /** A part that is known only when it is complete. */
  add(part: Part): void {
    this.#ended.set(part.kind, part)
    for (const event of partEvents(part, this.#count++, announcedPart(part))) this.#events.push(event)
  }

  emit(event: StreamEvent): void {
    this.#events.push(event)
  }

  /** The events since the last call. */
  takeEvents(): StreamEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** One ended part of each kind: the finish of the answer depends on no more. */
  endedKinds(): Part[] {
    return this.#lostCall === undefined
      ? [...this.#ended.values()]
      : [...this.#ended.values(), this.#lostCall]
  }
}

/** The part without its texts. That of a text has no residue yet. */
export function announcedPart(part: Part): Part {
  if (part.kind !== 'text' && part.kind !== 'refusal') return emptyPart(part)
  return { kind: part.kind, text: '', path: part.path, residue: responsesResidue.create(part.path, []) }
}

/** Text that arrives in pieces. */
export class TextBuffer {
  length = 0
  /** A concatenation, as on the other wires: engines do not copy the pieces until somebody reads the text. */
  #text = ''

  push(text: string): void {
    this.#text += text
    this.length += text.length
  }

  text(): string {
    return this.#text
  }

  /** What the complete text has beyond the pieces; `''` when it contradicts them. */
  missing(complete: string): string {
    if (complete.length <= this.length) return ''
    return complete.startsWith(this.text()) ? complete.slice(this.length) : ''
  }
}
