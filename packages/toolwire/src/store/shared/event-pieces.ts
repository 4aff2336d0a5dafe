/** The events of streamed background responses, as every store that gateways share keeps them. */
import type { StoredEvents } from '../store.ts'

/** Of one response. Beyond that, the oldest are dropped. */
export const mostEventBytes: number = 16 * 1024 * 1024
export const eventsKeptSeconds = 3_600
/** How much is read at a time. */
export const eventPieceBytes: number = 64 * 1024

/** Events that were appended together. */
export interface EventBatch {
  /** The number of the first one. */
  readonly first: number
  readonly text: string
}

/** `end`: the number after the last event; `batches`: those kept from the one on that may hold `from`, without gaps. */
export function eventsFrom(
  from: number,
  end: number,
  isOver: boolean,
  batches: readonly EventBatch[],
): StoredEvents | 'gone' {
  if (from >= end) return { text: '', next: from, isLast: isOver }
  const [first] = batches
  if (first === undefined || first.first > from) return 'gone'
  const frames = batches.flatMap(({ text }) => text.split(/(?<=\n\n)/))
  const next = first.first + frames.length
  return { text: frames.slice(from - first.first).join(''), next, isLast: isOver && next >= end }
}
