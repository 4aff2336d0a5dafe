/**
 * What streamed background responses have said so far, for clients that come back for the rest. Kept in this process
 * only and bounded over all of them: responses that are over make room first, then the oldest events of the longest
 * that goes on.
 */
import type { SignalLike } from '@toolwire/core'
import { unlessAborted } from '../http/unless-aborted.ts'

/** The events are numbered without gaps from 0, so an event's place is its number. */
export interface EventLog {
  /** Takes whole events. */
  append(text: string): void
  close(): void
  /** What is told from this place on, a piece at a time, and the place after it; nothing when it is no longer there. */
  from(place: number): { readonly text: string; readonly next: number } | undefined
  readonly isClosed: boolean
  /** Resolves when there is more, or there will be no more. */
  more(signal: SignalLike): Promise<void>
  /** How many wait for more. */
  readonly waiting: number
}

export interface EventLogs {
  open(owner: string, id: string): EventLog
  find(owner: string, id: string): EventLog | undefined
  drop(owner: string, id: string): void
}

/** `limit` is in characters. */
export function createEventLogs(limit: number): EventLogs {
  const logs = new Map<string, Log>()
  const keyOf = (owner: string, id: string): string => `${owner} ${id}`
  let total = 0

  const drop = (key: string): void => {
    total -= logs.get(key)?.length ?? 0
    logs.delete(key)
  }
  const makeRoom = (): void => {
    for (const [key, { isClosed }] of logs) {
      if (total <= limit) return
      if (isClosed) drop(key)
    }
    while (total > limit) {
      const longest = longestOf(logs.values())
      if (longest === undefined) return
      // Some more than needed, so that it is not done for each event anew.
      total -= longest.shed(Math.max(total - limit, longest.length / 8))
    }
  }

  return {
    open(owner, id) {
      const key = keyOf(owner, id)
      const log = new Log(grown => {
        // One that was dropped while it was being written goes on for those who read it.
        if (logs.get(key) !== log) return
        total += grown
        makeRoom()
      })
      drop(key)
      logs.set(key, log)
      return log
    },
    find: (owner, id) => logs.get(keyOf(owner, id)),
    drop: (owner, id) => drop(keyOf(owner, id)),
  }
}

function longestOf(logs: Iterable<Log>): Log | undefined {
  let longest: Log | undefined
  for (const log of logs) if (log.length > (longest?.length ?? 0)) longest = log
  return longest
}

const pieceLength = 64 * 1024

class Log implements EventLog {
  isClosed = false
  length = 0
  readonly #onGrowth: (by: number) => void
  #frames: string[] = []
  /** How many events are no longer there. */
  #shed = 0
  readonly #waiting = new Set<() => void>()

  constructor(onGrowth: (by: number) => void) {
    this.#onGrowth = onGrowth
  }

  append(text: string): void {
    if (text === '') return
    // What is let go for it was said before: nobody could have heard the new yet.
    this.#onGrowth(text.length)
    for (const frame of text.split(/(?<=\n\n)/)) this.#frames.push(frame)
    this.length += text.length
    this.#wake()
  }

  close(): void {
    this.isClosed = true
    // Should its last words have been too much, it is one that can go now.
    this.#onGrowth(0)
    this.#wake()
  }

  from(place: number): { text: string; next: number } | undefined {
    if (place < this.#shed) return undefined
    let text = ''
    let next = place
    for (; text.length < pieceLength; next++) {
      const frame = this.#frames[next - this.#shed]
      if (frame === undefined) break
      text += frame
    }
    return { text, next }
  }

  more(signal: SignalLike): Promise<void> {
    let wake = (): void => {}
    const woken = new Promise<void>(resolve => {
      wake = resolve
    })
    this.#waiting.add(wake)
    // Listeners may come and go for long before there is more, and nothing of them is to stay.
    return unlessAborted(signal, woken).finally(() => this.#waiting.delete(wake))
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Forgets at least so many characters of the oldest, if there are so many. Says how many it were. */
  shed(atLeast: number): number {
    let freed = 0
    let count = 0
    for (; freed < atLeast && count < this.#frames.length; count++) freed += this.#frames[count]?.length ?? 0
    this.#frames = this.#frames.slice(count)
    this.#shed += count
    this.length -= freed
    return freed
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
