/** An exchange while it runs, as the ring records it. */
import type { ExchangeFacts, Observation, ViewHead, ViewName } from '../observer.ts'
import { isHousekeeping } from '../observer.ts'
import type { Entry } from './trace-entry.ts'
import { ViewJournal } from './view-journal.ts'

/** The ring, as what it records knows it. */
export interface RecordingRing {
  readonly hasViews: boolean
  readonly viewLimit: number
  now(): number
  /** Somebody wants to know of every change. */
  readonly isWatched: boolean
  changed(entry: Entry): void
  reserve(entry: Entry, bytes: number): boolean
  hasEnded(recording: Recording): void
}

export class Recording implements Observation {
  readonly facts: ExchangeFacts
  readonly entry: Entry
  readonly journal: ViewJournal
  readonly #ring: RecordingRing
  #isWanted = false
  #hasEnded = false

  constructor(facts: ExchangeFacts, entry: Entry, ring: RecordingRing) {
    this.facts = facts
    this.entry = entry
    this.#ring = ring
    this.journal = new ViewJournal(entry.tape, ring, bytes => ring.reserve(entry, bytes))
  }

  /** Read before every chunk. An exchange that was once worth tracing stays so. */
  get wantsViews(): boolean {
    if (this.#hasEnded || this.entry.isDropped || !this.#ring.hasViews) return false
    this.#isWanted ||= !isHousekeeping(this.facts)
    return this.#isWanted
  }

  view(name: ViewName, chunk: string | Uint8Array, _isLent?: boolean, same?: Uint8Array): void {
    if (!this.wantsViews) return
    this.journal.chunk(name, chunk, same)
    if (this.#ring.isWatched) this.#ring.changed(this.entry)
  }

  viewHead(name: ViewName, head: ViewHead): void {
    if (!this.wantsViews) return
    this.journal.head(name, head)
    if (this.#ring.isWatched) this.#ring.changed(this.entry)
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#ring.hasEnded(this)
  }
}
