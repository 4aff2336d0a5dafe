/** Seals the reasoning of a stream as it ends, and collects what is to be kept of it. */

import type { PartEndEvent, StreamEvent } from '../../model/stream-event.ts'
import type { KeptReasoning } from '../shared/kept-reasoning.ts'
import { ReasoningKeeper } from '../shared/kept-reasoning.ts'
import type { ReasoningSealer } from '../shared/sealed-reasoning.ts'
import { AnswerSealer } from '../shared/sealed-reasoning.ts'
import { mapShared } from '../shared/shared-lists.ts'
import type { StreamTransform } from '../undo/stream-undo.ts'

export class SealedEvents implements StreamTransform {
  readonly #keeper = new ReasoningKeeper()
  readonly #mayKeep: boolean
  readonly #sealer: AnswerSealer

  constructor(sealer: ReasoningSealer) {
    this.#mayKeep = sealer.mayKeep
    this.#sealer = new AnswerSealer(sealer)
  }

  get kept(): KeptReasoning | undefined {
    return this.#mayKeep ? this.#keeper.kept : undefined
  }

  /** The calls of another round have reasoning of their own. */
  nextRound(): void {
    this.#keeper.reset()
    this.#sealer.reset()
  }

  transform(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return events.some(isEnd) ? mapShared(events, event => (isEnd(event) ? this.#end(event) : event)) : events
  }

  #end(event: PartEndEvent): StreamEvent {
    const part = this.#sealer.seal(event.part)
    this.#keeper.note(part)
    return part === event.part ? event : { ...event, part }
  }
}

function isEnd(event: StreamEvent): event is PartEndEvent {
  return event.type === 'part-end'
}
