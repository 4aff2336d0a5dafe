/**
 * The most recent exchanges with their four raw views, in memory. Bounded in number and in bytes: of those that have
 * ended, the oldest of the owner who has most is dropped first, then the oldest that still run.
 */
import { Passing, Queue } from '../../platform/passing.ts'
import { atOnce, inTurns, type Steps } from '../../platform/steps.ts'
import type { Masker } from '../mask-secrets.ts'
import { createMasker } from '../mask-secrets.ts'
import type { ExchangeFacts, Observation, Observer, TraceReader, TraceWatch } from '../observer.ts'
import { isHousekeeping } from '../observer.ts'
import { PagePool, pageBytes } from './byte-tape.ts'
import { EntryPlaces, findAnswer } from './entry-places.ts'
import { Recording, type RecordingRing } from './recording.ts'
import type { DetailFacts, Trace, TraceDetail, TraceSummary } from './trace-document.ts'
import { detailOf, withoutWords } from './trace-document.ts'
import { Entry, isVisibleTo, nobody, ownerOf, readSummary, readTrace } from './trace-entry.ts'

export interface TraceRingOptions {
  readonly entries?: number
  readonly bytes?: number
  /** The limit for one view, in bytes; what is beyond it is only counted. */
  readonly viewBytes?: number
  /** False: only facts, and nothing that a client or an upstream wrote in its own words. */
  readonly bodies?: boolean
  /** Known keys, to be masked wherever they appear. Very short ones are ignored. */
  readonly secrets?: readonly string[]
  /** The gateway's clock. */
  readonly now?: () => number
}

interface EndedTrace {
  readonly owner: string
  readonly trace: Trace
}

/** For those who serve others at the same time: it takes seconds to read what was recorded of many long requests. */
interface TracesInTurns extends TraceReader {
  list(limit: number, owner?: string): Promise<readonly TraceSummary[]>
  get(id: string, owner?: string): Promise<Trace | undefined>
  watch(): TraceWatch
}

export interface EndedTraces {
  /** Gives `keep` what has ended since, little at a time. What it rejects is given again the next time, if still there. */
  give(keep: (traces: readonly EndedTrace[]) => Promise<void>): Promise<void>
  close(): void
}

/** What is read of an exchange for a list, about. */
const summaryBytes = 2048
/** How much is read before others run. */
const batchBytes = 512 * 1024
/** What one owner has: the oldest first, and what they take. */
interface Ended {
  readonly owner: string
  readonly entries: Queue<Entry>
  bytes: number
}

const countOf = ({ entries }: Ended): number => entries.size
const bytesOf = ({ bytes }: Ended): number => bytes

/** What an exchange costs beside its bytes and texts. */
const entryCost = 1024
/** Set aside for as long as it runs, so that what is known of it can be written in the end however little else is kept. */
const sealCost = 2 * pageBytes
/** Requests without a route, such as unauthorized ones. Anybody can send them, so they must not replace the others. */
const maxStrays = 20

export class TraceRing implements Observer, TraceReader, RecordingRing {
  readonly pool: PagePool = new PagePool()
  readonly viewLimit: number
  readonly hasViews: boolean
  readonly now: () => number
  readonly #limits: { readonly entries: number; readonly bytes: number }
  #masker: Masker
  readonly #running = new Passing<Entry>()
  /** By owner. */
  readonly #ended = new Map<string, Ended>()
  #endedCount = 0
  readonly #strays = new Queue<Entry>()
  readonly #watches = new Set<Set<Entry>>()
  /** What has ended and was not kept elsewhere yet. */
  readonly #keepers = new Set<Set<Entry>>()
  readonly #places: EntryPlaces
  #bytes = 0
  #count = 0

  constructor(options: TraceRingOptions) {
    const { entries = 200, bytes = 32 * 1024 * 1024, viewBytes = 1024 * 1024, secrets = [] } = options
    this.#limits = { entries: Math.max(1, entries), bytes }
    this.viewLimit = viewBytes
    this.hasViews = options.bodies ?? true
    this.now = options.now ?? (() => performance.now())
    this.#masker = createMasker(secrets)
    this.#places = new EntryPlaces(this.#limits.entries)
  }

  /** Keys that must not appear in what is read from now on. */
  hide(secrets: readonly string[]): void {
    this.#masker = createMasker(secrets)
  }

  /** What the stored views and facts take. */
  get bytes(): number {
    return this.#bytes
  }

  begin(facts: ExchangeFacts): Observation {
    const entry = new Entry(facts.id, this.#count++, this.pool)
    const recording = new Recording(facts, entry, this)
    entry.recording = recording
    while (this.#running.size + this.#endedCount >= this.#limits.entries) {
      this.#drop(this.#leastWanted(countOf) ?? entry)
    }
    if (this.reserve(entry, entryCost + sealCost)) this.#running.add(entry)
    else entry.isDropped = true
    return recording
  }

  list(limit: number, owner?: string): readonly TraceSummary[] {
    return atOnce(this.#newest(limit, owner))
  }

  watch(): TraceWatch {
    return this.#watch(atOnce)
  }

  get inTurns(): TracesInTurns {
    return {
      list: (limit, owner) => inTurns(this.#newest(limit, owner)),
      get: (id, owner) => inTurns(this.#one(id, owner)),
      watch: () => this.#watch(inTurns),
    }
  }

  #newest(limit: number, owner?: string): Steps<readonly TraceSummary[]> {
    const entries = this.#visible(owner).sort((a, b) => b.order - a.order)
    return this.#summaries(entries.slice(0, limit))
  }

  #watch(read: (steps: Steps<TraceSummary[]>) => ReturnType<TraceWatch['take']>): TraceWatch {
    const changed = new Set<Entry>()
    this.#watches.add(changed)
    return {
      take: owner => {
        if (changed.size === 0) return []
        const fits = isVisibleTo(owner)
        const entries = [...changed].filter(entry => !entry.isDropped && fits(entry))
        changed.clear()
        return read(this.#summaries(entries.sort((a, b) => b.order - a.order)))
      },
      close: () => void this.#watches.delete(changed),
    }
  }

  watchEnded(): EndedTraces {
    const ended = new Set<Entry>()
    this.#keepers.add(ended)
    return {
      give: async keep => {
        while (ended.size > 0) {
          const batch = beginningOf(ended, batchBytes)
          await keep(await inTurns(this.#traces(batch)))
          for (const entry of batch) ended.delete(entry)
        }
      },
      close: () => void this.#keepers.delete(ended),
    }
  }

  /** Without those that are dropped before it is their turn. */
  *#traces(entries: readonly Entry[]): Steps<EndedTrace[]> {
    yield* this.#findPlaces()
    const traces: EndedTrace[] = []
    for (const entry of entries) {
      if (entry.isDropped) continue
      const trace = yield* readTrace(entry, readSummary(entry), this.#masker, this.#detail)
      traces.push({ owner: ownerOf(entry) ?? '', trace })
    }
    return traces
  }

  /** Without keys that became known after it was written. */
  mask(text: string): string {
    return this.#masker.text(text)
  }

  /** By the id of the request or of the response, or by an unambiguous beginning of the request's id. */
  get(id: string, owner?: string): Trace | undefined {
    return atOnce(this.#one(id, owner))
  }

  *#one(id: string, owner?: string): Steps<Trace | undefined> {
    const visible = this.#visible(owner).sort((a, b) => a.order - b.order)
    const entry = visible.find(each => each.id === id) ?? findAnswer(visible, id, this.#masker)
    if (entry === undefined) return undefined
    const [found] = yield* this.#traces([entry])
    return found?.trace
  }

  /** Without those that are dropped before it is their turn. */
  *#summaries(entries: readonly Entry[]): Steps<TraceSummary[]> {
    yield* this.#findPlaces()
    const summaries: TraceSummary[] = []
    for (const entry of entries) {
      if (entry.isDropped) continue
      summaries.push(readSummary(entry))
      yield summaryBytes
    }
    return summaries
  }

  *#findPlaces(): Steps<void> {
    yield* this.#places.find(this.#visible(undefined), this.#masker)
  }

  get isWatched(): boolean {
    return this.#watches.size > 0
  }

  changed(entry: Entry): void {
    for (const changed of this.#watches) changed.add(entry)
  }

  /** Without an owner, the exchanges of all owners. */
  #visible(owner: string | undefined): Entry[] {
    const ended = [...this.#ended.values()].flatMap(({ entries }) => [...entries])
    return [...ended, ...this.#running].filter(isVisibleTo(owner))
  }

  /** The oldest of the owner who has most; of several owners, of the first by name. */
  #leastWanted(sizeOf: (ended: Ended) => number): Entry | undefined {
    let most: Ended | undefined
    for (const ended of this.#ended.values()) {
      const more = most === undefined ? 1 : sizeOf(ended) - sizeOf(most)
      if (more > 0 || (more === 0 && ended.owner < (most?.owner ?? ''))) most = ended
    }
    return most === undefined ? oldestOf(this.#running) : most.entries.oldest
  }

  #addEnded(entry: Entry): void {
    const { owner = nobody } = entry
    let ended = this.#ended.get(owner)
    if (ended === undefined) {
      ended = { owner, entries: new Queue(), bytes: 0 }
      this.#ended.set(owner, ended)
    }
    ended.entries.add(entry)
    ended.bytes += entry.bytes
    this.#endedCount++
  }

  #removeEnded(entry: Entry): void {
    if (!entry.isEnded) return
    const ended = this.#ended.get(entry.owner ?? nobody)
    if (ended?.entries.delete(entry) !== true) return
    ended.bytes -= entry.bytes
    this.#endedCount--
    if (ended.entries.size === 0) this.#ended.delete(ended.owner)
  }

  #drop(entry: Entry): void {
    this.#running.delete(entry)
    this.#removeEnded(entry)
    if (entry.isStray) this.#strays.delete(entry)
    this.#release(entry, entry.bytes)
    entry.isDropped = true
    // Whoever watches may not come to read for a long time.
    for (const changed of this.#watches) changed.delete(entry)
    for (const ended of this.#keepers) ended.delete(entry)
    entry.tape.clear()
    entry.recording?.journal.clear()
  }

  /** Drops others until there is room. An exchange that finds none is cut short, not dropped. */
  reserve(entry: Entry, bytes: number): boolean {
    if (entry.isDropped || entry.bytes + bytes > this.#limits.bytes) return false
    while (this.#bytes + bytes > this.#limits.bytes) {
      const victim = this.#leastWanted(bytesOf)
      if (victim === undefined || victim === entry) return false
      this.#drop(victim)
    }
    this.#release(entry, -bytes)
    return true
  }

  #release(entry: Entry, bytes: number): void {
    this.#bytes -= bytes
    entry.bytes -= bytes
  }

  hasEnded(recording: Recording): void {
    const { facts, entry } = recording
    if (entry.isDropped) return
    if (isHousekeeping(facts) || !this.#seal(recording)) {
      this.#drop(entry)
      return
    }
    this.#running.delete(entry)
    this.#addEnded(entry)
    this.changed(entry)
    for (const ended of this.#keepers) ended.add(entry)
    if (facts.route === 'unknown') this.#addStray(entry)
  }

  #seal(recording: Recording): boolean {
    const { entry, journal } = recording
    this.#release(entry, sealCost + journal.reserved)
    try {
      return entry.seal(recording, this.#detail, bytes => this.reserve(entry, bytes))
    } catch (error) {
      this.#drop(entry)
      throw error
    }
  }

  readonly #detail = (facts: DetailFacts): TraceDetail => {
    const detail = detailOf(facts, this.#masker)
    return this.hasViews ? detail : withoutWords(detail)
  }

  #addStray(entry: Entry): void {
    entry.isStray = true
    this.#strays.add(entry)
    const { oldest, size } = this.#strays
    if (oldest !== undefined && size > maxStrays) this.#drop(oldest)
  }
}

/** The first of them, until they have so many bytes. */
function beginningOf(entries: Iterable<Entry>, bytes: number): Entry[] {
  const first: Entry[] = []
  let sum = 0
  for (const entry of entries) {
    sum += entry.bytes
    if (first.length > 0 && sum > bytes) break
    first.push(entry)
  }
  return first
}

function oldestOf(entries: Iterable<Entry>): Entry | undefined {
  let oldest: Entry | undefined
  for (const entry of entries) if (oldest === undefined || entry.order < oldest.order) oldest = entry
  return oldest
}

export function createTraceRing(options: TraceRingOptions = {}): TraceRing {
  return new TraceRing(options)
}
