/** The parts of a streamed answer, counted in the order of their starts, and the events that tell of them. */
import type { Part } from '../../model/conversation.ts'
import type { StreamEvent } from '../../model/stream-event.ts'

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

export function createPartSequence(): PartSequence {
  let events: StreamEvent[] = []
  const ended = new Map<number, Part>()
  const open = new Map<number, () => Part>()
  let count = 0
  const close = (index: number, part: Part): void => {
    open.delete(index)
    ended.set(index, part)
    events.push({ type: 'part-end', index, part })
  }
  return {
    start(part, whole) {
      const index = count++
      events.push({ type: 'part-start', index, part })
      open.set(index, whole)
      return index
    },
    delta: (index, text) => void events.push({ type: 'part-delta', index, text }),
    end(index) {
      const whole = open.get(index)
      if (whole !== undefined) close(index, whole())
    },
    endAll(settle) {
      const parts = Array.from({ length: count }, (_, i) => ended.get(i) ?? open.get(i)?.())
      const settled = settle(parts.filter(part => part !== undefined))
      for (const index of [...open.keys()]) {
        const part = settled[index]
        if (part !== undefined) close(index, part)
      }
    },
    emit: event => void events.push(event),
    take() {
      const taken = events
      events = []
      return taken
    },
    get count() {
      return count
    },
  }
}
