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

/** `end`: the number after the last event; `batches`: those kept from the one on that may hold `from`. */
export function eventsFrom(
  from: number,
  end: number,
  isOver: boolean,
  batches: readonly EventBatch[],
): StoredEvents | 'gone' {
  if (from >= end) return { text: '', next: from, isLast: isOver }
  let next = batches[0]?.first ?? end
  if (next > from) return 'gone'
  const frames: string[] = []
  for (const { first, text } of batches) {
    // Some are missing where the server has lost what it had acknowledged.
    if (first !== next) break
    for (const frame of text.split(/(?<=\n\n)/)) {
      if (next >= from) frames.push(frame)
      next++
    }
  }
  return next <= from ? 'gone' : { text: frames.join(''), next, isLast: isOver && next >= end }
}
