/** The parts of a streamed answer, counted in the order of their starts, and the events that tell of them. */
import type { Part } from '../../../model/conversation.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { textDelta } from '../../../model/stream-event.ts'
import type { EscapedSource } from '../../fast-path/repeated-delta.ts'

export interface PartSequence {
  /** Begins a part and gives its index; `whole` is asked for all of it when it ends. */
  start(part: Part, whole: () => Part): number
  delta(index: number, text: string): void
  end(index: number): void
  /** Ends what is open, after all parts together have been seen and those still open perhaps changed. */
  endAll(settle: (parts: readonly Part[]) => readonly Part[]): void
  emit(event: StreamEvent): void
  /** The events since the last time. */
  take(): StreamEvent[]
  readonly count: number
}

export function createPartSequence(spelling: EscapedSource): PartSequence {
  return new Sequence(spelling)
}

class Sequence implements PartSequence {
  count = 0
  readonly #spelling: EscapedSource
  #events: StreamEvent[] = []
  readonly #ended = new Map<number, Part>()
  readonly #open = new Map<number, () => Part>()

  constructor(spelling: EscapedSource) {
    this.#spelling = spelling
  }

  start(part: Part, whole: () => Part): number {
    const index = this.count++
    this.#events.push({ type: 'part-start', index, part })
    this.#open.set(index, whole)
    return index
  }

  delta(index: number, text: string): void {
    this.#events.push(textDelta(index, text, this.#spelling.escapedTextOf(text)))
  }

  end(index: number): void {
    const whole = this.#open.get(index)
    if (whole !== undefined) this.#close(index, whole())
  }

  endAll(settle: (parts: readonly Part[]) => readonly Part[]): void {
    const parts: Part[] = []
    for (let i = 0; i < this.count; i++) {
      const part = this.#ended.get(i) ?? this.#open.get(i)?.()
      if (part !== undefined) parts.push(part)
    }
    const settled = settle(parts)
    for (const index of [...this.#open.keys()]) {
      const part = settled[index]
      if (part !== undefined) this.#close(index, part)
    }
  }

  emit(event: StreamEvent): void {
    this.#events.push(event)
  }

  take(): StreamEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  #close(index: number, part: Part): void {
    this.#open.delete(index)
    this.#ended.set(index, part)
    this.#events.push({ type: 'part-end', index, part })
  }
}
