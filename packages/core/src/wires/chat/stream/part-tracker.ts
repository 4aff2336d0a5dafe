/** Numbers the parts of a streamed answer in the order of their starts, and collects the events about them. */

import type { Part } from '../../../model/conversation.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { repeatingEnd, textDelta } from '../../../model/stream-event.ts'

export class PartTracker {
  count = 0
  #events: StreamEvent[] = []
  readonly #ended = new Map<number, Part>()
  readonly #open = new Map<number, () => Part>()

  /** Starts a part and returns its index; `complete` returns the complete part when it ends. */
  start(part: Part, complete: () => Part): number {
    const index = this.count++
    this.#events.push({ type: 'part-start', index, part })
    this.#open.set(index, complete)
    return index
  }

  delta(index: number, text: string, escaped?: string | undefined): void {
    this.#events.push(textDelta(index, text, escaped))
  }

  end(index: number): void {
    const complete = this.#open.get(index)
    if (complete !== undefined) this.#close(index, complete())
  }

  /** A part that arrives in one piece. */
  add(part: Part): void {
    this.end(this.start(part, () => part))
  }

  /** Ends what is open. `adjust` sees all parts and may change those that are open. */
  endAll(adjust: (parts: readonly Part[]) => readonly Part[]): void {
    const parts: Part[] = []
    for (let i = 0; i < this.count; i++) {
      const part = this.#ended.get(i) ?? this.#open.get(i)?.()
      if (part !== undefined) parts.push(part)
    }
    const adjusted = adjust(parts)
    for (const index of [...this.#open.keys()]) {
      const part = adjusted[index]
      if (part !== undefined) this.#close(index, part)
    }
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

  #close(index: number, part: Part): void {
    this.#open.delete(index)
    this.#ended.set(index, part)
    this.#events.push(repeatingEnd(index, part, textLength(part)))
  }
}

/** Of texts that are nothing but what their deltas added. */
function textLength(part: Part): number {
  if (part.kind === 'text' || part.kind === 'refusal') return part.text.length
  return part.kind === 'reasoning' ? (part.text[0]?.length ?? 0) : 0
}
