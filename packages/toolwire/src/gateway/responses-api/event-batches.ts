/**
 * Gives the events of a response to a store that gateways share, at most once in 50 milliseconds. A store in trouble is
 * tried again while the events fit in memory; other gateways then find the response, and not its events.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import { isOver } from '../errors.ts'
import type { EventMirror } from './event-logs.ts'

const batchMs = 50
/** How many characters wait for a store. */
const mostPending = 4 * 1024 * 1024

export function mirrorEvents(
  store: Pick<Store, 'appendEvents'>,
  clock: Clock,
  owner: string,
  id: string,
): EventMirror {
  let pending: string[] = []
  let length = 0
  /** The number of the first event that the store does not have. */
  let first = 0
  let isClosed = false
  let isGivenUp = false
  let isFlushing = false
  let stopTimer: (() => void) | undefined
  let onDone = (): void => {}
  const done = new Promise<void>(resolve => {
    onDone = resolve
  })

  const giveUp = (): void => {
    isGivenUp = true
    pending = []
    stopTimer?.()
    onDone()
  }
  const flush = async (): Promise<void> => {
    stopTimer = undefined
    isFlushing = true
    const batch = pending
    const isLast = isClosed
    pending = []
    try {
      await store.appendEvents?.(owner, id, first, batch, isLast)
      first += batch.length
      length -= batch.reduce((sum, event) => sum + event.length, 0)
      if (isLast) giveUp()
    } catch (error) {
      pending = [...batch, ...pending]
      // Nobody waits for ever for a store that is away when the response has ended.
      if (isOver(error) || isLast || length > mostPending) giveUp()
    }
    isFlushing = false
    if (pending.length > 0 || isClosed) later()
  }
  const later = (): void => {
    if (!isGivenUp && !isFlushing) stopTimer ??= clock.after(batchMs, () => void flush())
  }

  return {
    append(events) {
      if (isGivenUp) return
      for (const event of events) {
        pending.push(event)
        length += event.length
      }
      later()
    },
    close() {
      isClosed = true
      later()
      return isGivenUp ? Promise.resolve() : done
    },
  }
}
