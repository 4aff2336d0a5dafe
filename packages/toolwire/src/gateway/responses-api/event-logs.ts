/**
 * The events of streamed background responses, for clients that come back for the rest. They are kept in this process,
 * and bounded over all responses; a store that gateways share gets them too (`event-batches.ts`). The owner whose events are the most makes room: first with finished responses,
 * then with the oldest events of the longest log.
 */
import type { SignalLike } from '@toolwire/core'
import { OwnerShares } from '../../platform/owner-shares.ts'
import type { NewEvents } from '../../store/store.ts'
import type { GatewayError } from '../errors.ts'
import { unlessAborted } from '../http/abort.ts'

export interface EventPiece {
  readonly text: string
  /** The number of the event after them. */
  readonly next: number
}

/** Where the events of a response are read. They are numbered from 0 without gaps. */
export interface EventSource {
  /** The events from this number on, a piece at a time; `undefined` when they were dropped. */
  from(start: number): EventPiece | undefined | Promise<EventPiece | undefined>
  readonly isClosed: boolean
  /** Why it was closed before the end of the response. */
  readonly cutBy?: GatewayError | undefined
  /** Resolves when there may be more, or there will be no more. */
  more(signal: SignalLike): Promise<void>
}

export interface EventLog extends EventSource {
  /** Takes complete events. */
  append(text: string): void
  /** Saves the response in one step with its events, at its end with the last ones, which follow when it is saved. */
  saveWith(last: string, isLast: boolean, save: SaveResponse): Promise<void>
  /** Resolves when the store has them all, or will not get them. */
  close(): Promise<void>
  /** Closes it before the end of the response, which could not be stored. Whoever listens may come back for it. */
  cut(failure: GatewayError): void
  from(start: number): EventPiece | undefined
  /** How many wait for more. */
  readonly waiting: number
}

export interface EventLogs {
  open(owner: string, id: string): EventLog
  find(owner: string, id: string): EventLog | undefined
  drop(owner: string, id: string): void
}

/** `events`: what is to be saved in the same step, if the store takes events. */
type SaveResponse = (events: NewEvents | undefined) => Promise<void>

/** What else gets the events of a response. */
export interface EventMirror {
  append(events: readonly string[]): void
  /** Saves the response together with all events that the store does not have yet, and at its end with these last ones. */
  saveWith(last: readonly string[], isLast: boolean, save: SaveResponse): Promise<void>
  close(): Promise<void>
  /** Nothing more is written, and nobody is told that there will be no more. */
  cut(): void
}

/** `limit` is in characters. */
export function createEventLogs(
  limit: number,
  mirrorOf: (owner: string, id: string) => EventMirror | undefined = () => undefined,
): EventLogs {
  const logs = new Map<string, Log>()
  const keyOf = (owner: string, id: string): string => `${owner} ${id}`
  let total = 0

  const shares = new OwnerShares()
  const grow = (owner: string, by: number): void => {
    total += by
    shares.add(owner, by)
  }
  const drop = (key: string): void => {
    const log = logs.get(key)
    if (log !== undefined) grow(log.owner, -log.length)
    logs.delete(key)
  }
  const makeRoom = (): void => {
    while (total > limit) {
      const owner = shares.largest()
      const own = [...logs].filter(([, log]) => log.owner === owner && log.length > 0)
      const finished = own.find(([, { isClosed }]) => isClosed)
      const longest = longestOf(own.map(([, log]) => log))
      if (finished !== undefined) drop(finished[0])
      // More than needed, so that it is not done again for each event.
      else if (longest !== undefined) {
        grow(longest.owner, -longest.dropOldest(Math.max(total - limit, longest.length / 8)))
      } else return
    }
  }

  return {
    open(owner, id) {
      const key = keyOf(owner, id)
      const log = new Log(owner, mirrorOf(owner, id), grown => {
        // A log that was dropped while it was being written goes on for its readers.
        if (logs.get(key) !== log) return
        grow(owner, grown)
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

const framesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n\n)/))

class Log implements EventLog {
  isClosed = false
  cutBy: GatewayError | undefined
  length = 0
  readonly owner: string
  readonly #mirror: EventMirror | undefined
  readonly #onGrowth: (by: number) => void
  #frames: string[] = []
  /** How many events were dropped. */
  #dropped = 0
  readonly #waiting = new Set<() => void>()

  constructor(owner: string, mirror: EventMirror | undefined, onGrowth: (by: number) => void) {
    this.owner = owner
    this.#mirror = mirror
    this.#onGrowth = onGrowth
  }

  append(text: string): void {
    if (text === '' || this.cutBy !== undefined) return
    // Makes room before the new events are added, so that these are not dropped unread.
    this.#onGrowth(text.length)
    const frames = framesOf(text)
    for (const frame of frames) this.#frames.push(frame)
    this.#mirror?.append(frames)
    this.length += text.length
    this.#wake()
  }

  async saveWith(last: string, isLast: boolean, save: SaveResponse): Promise<void> {
    if (this.#mirror === undefined) await save(undefined)
    else await this.#mirror.saveWith(framesOf(last), isLast, save)
  }

  async close(): Promise<void> {
    this.isClosed = true
    // If the last events exceeded the limit, this log may now be dropped.
    this.#onGrowth(0)
    this.#wake()
    await this.#mirror?.close()
  }

  cut(failure: GatewayError): void {
    this.cutBy = failure
    this.#mirror?.cut()
    void this.close()
  }

  from(start: number): EventPiece | undefined {
    if (start < this.#dropped) return undefined
    let text = ''
    let next = start
    for (; text.length < pieceLength; next++) {
      const frame = this.#frames[next - this.#dropped]
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
    // Many listeners may come and go before there is more; none of them may leave anything behind.
    return unlessAborted(signal, woken).finally(() => this.#waiting.delete(wake))
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Drops at least so many characters of the oldest events, if there are so many. Returns how many it dropped. */
  dropOldest(atLeast: number): number {
    let freed = 0
    let count = 0
    for (; freed < atLeast && count < this.#frames.length; count++) freed += this.#frames[count]?.length ?? 0
    this.#frames = this.#frames.slice(count)
    this.#dropped += count
    this.length -= freed
    return freed
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
