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
  const pending = new PendingEvents()
  let isClosed = false
  /** The store has them all, or will not get them. */
  let isDone = false
  /** One write at a time. */
  let writing: Promise<void> | undefined
  let stopTimer: (() => void) | undefined
  let onDone = (): void => {}
  const done = new Promise<void>(resolve => {
    onDone = resolve
  })

  const finish = (): void => {
    isDone = true
    pending.remove(pending.events.length)
    stopTimer?.()
    onDone()
  }
  const flush = async (): Promise<void> => {
    const events = [...pending.events]
    const isLast = isClosed
    try {
      await store.appendEvents?.(owner, id, { first: pending.first, events, isLast })
      pending.remove(events.length)
      if (isLast) finish()
    } catch (error) {
      // Nobody waits for ever for a store that is away when the response has ended.
      if (isOver(error) || isLast || pending.length > mostPending) finish()
    }
  }
  const write = (act: () => Promise<void>): Promise<void> => {
    stopTimer?.()
    stopTimer = undefined
    const written = act().finally(() => {
      writing = undefined
      if (pending.events.length > 0 || isClosed) later()
    })
    writing = written.catch(() => {})
    return written
  }
  const later = (): void => {
    if (!isDone && writing === undefined) stopTimer ??= clock.after(batchMs, () => void write(flush))
  }

  return {
    append(events) {
      if (isDone) return
      pending.add(events)
      later()
    },
    async saveWith(last, isLast, save) {
      while (writing !== undefined) await writing
      if (isDone || (!isLast && pending.events.length === 0)) return save(undefined)
      await write(async () => {
        const waited = pending.events.length
        await save({ first: pending.first, events: [...pending.events, ...last], isLast })
        if (isLast) finish()
        else pending.remove(waited)
      })
    },
    cut: finish,
    close() {
      isClosed = true
      later()
      return isDone ? Promise.resolve() : done
    },
  }
}

/** Those that the store does not have. */
class PendingEvents {
  /** The number of the first one. */
  first = 0
  /** Of all together, in characters. */
  length = 0
  readonly events: string[] = []

  add(events: readonly string[]): void {
    for (const event of events) {
      this.events.push(event)
      this.length += event.length
    }
  }

  /** The first ones are there now. */
  remove(count: number): void {
    this.first += count
    for (const { length } of this.events.splice(0, count)) this.length -= length
  }
}
