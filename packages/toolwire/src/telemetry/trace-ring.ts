/**
 * The most recent exchanges with their four raw views, in memory. Bounded in number and in bytes: of those that have
 * ended, the oldest of the owner who has most is dropped first, then the oldest that still run.
 */
import { OwnerShares } from '../platform/owner-shares.ts'
import { BufferPool } from './buffer-pool.ts'
import { ConversationIndex, conversationFacts } from './conversation-facts.ts'
import type { RecordText } from './exchange-record.ts'
import { createRecordText } from './exchange-record.ts'
import type { Masker } from './mask-secrets.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import type {
  ExchangeFacts,
  Observation,
  Observer,
  TraceReader,
  TraceWatch,
  ViewHead,
  ViewName,
} from './observer.ts'
import { isHousekeeping } from './observer.ts'
import type { DetailFacts, Trace, TraceDetail, TraceSummary } from './trace-document.ts'
import { detailOf, hasDetail, withoutWords } from './trace-document.ts'
import {
  type Entry,
  find,
  isVisibleTo,
  newEntry,
  readSummary,
  readTrace,
  toolsOf,
  viewNames,
} from './trace-entry.ts'
import { ViewRecorder } from './view-recorder.ts'

export interface TraceRingOptions {
  readonly entries?: number
  readonly bytes?: number
  /** The limit for one view; bytes beyond it are only counted. */
  readonly viewBytes?: number
  /** False: only facts, and nothing that a client or an upstream wrote in its own words. */
  readonly bodies?: boolean
  /** Known keys, to be masked wherever they appear. Very short ones are ignored. */
  readonly secrets?: readonly string[]
  /** Shared with other observers of the same exchanges. */
  readonly recordText?: RecordText
  /** The gateway's clock. */
  readonly now?: () => number
}

/** Whose a request is that was refused before it was known. */
const nobody = 'nobody'
/** What an exchange costs beside its bytes and texts. */
const entryCost = 1024
/** The limit of unused buffers, beside the stored bytes: enough for the exchanges of a moment. */
const maxUnusedBytes = 1024 * 1024
/** Requests without a route, such as unauthorized ones. Anybody can send them, so they must not replace the others. */
const maxStrays = 20

export class TraceRing implements Observer, TraceReader {
  readonly #limits: { readonly entries: number; readonly bytes: number; readonly viewBytes: number }
  #masker: Masker
  readonly #hasBodies: boolean
  readonly #recordText: RecordText
  readonly #pool: BufferPool
  /** The oldest first, as in the others. */
  readonly #running = new Set<Entry>()
  /** By owner. */
  readonly #ended = new Map<string, Set<Entry>>()
  readonly #entriesOf = new OwnerShares()
  readonly #bytesOf = new OwnerShares()
  #endedCount = 0
  readonly #strays = new Set<Entry>()
  readonly #watches = new Set<Set<Entry>>()
  readonly #conversations: ConversationIndex
  readonly #now: () => number
  #bytes = 0
  #count = 0

  constructor(options: TraceRingOptions) {
    const { entries = 200, bytes = 32 * 1024 * 1024, viewBytes = 256 * 1024, secrets = [] } = options
    this.#limits = { entries: Math.max(1, entries), bytes, viewBytes }
    this.#masker = createMasker(secrets)
    this.#hasBodies = options.bodies ?? true
    this.#pool = new BufferPool(Math.min(maxUnusedBytes, bytes / 8))
    this.#recordText = options.recordText ?? createRecordText()
    this.#conversations = new ConversationIndex(4 * this.#limits.entries)
    this.#now = options.now ?? (() => performance.now())
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
    const entry = newEntry(facts, this.#count++)
    while (this.#running.size + this.#endedCount >= this.#limits.entries) {
      this.#drop(this.#leastWanted(this.#entriesOf) ?? entry)
    }
    if (this.#reserve(entry, entryCost)) this.#running.add(entry)
    else entry.isDropped = true
    return new TraceObservation(facts, entry, {
      hasViews: this.#hasBodies,
      recorder: name => {
        this.#noteChange(entry)
        return this.#recorder(entry, name)
      },
      end: () => this.#end(entry, facts),
    })
  }

  list(limit: number, owner?: string): readonly TraceSummary[] {
    const entries = this.#visible(owner).sort((a, b) => b.order - a.order)
    return this.#summaries(entries.slice(0, limit))
  }

  watch(): TraceWatch {
    const changed = new Set<Entry>()
    this.#watches.add(changed)
    return {
      take: owner => {
        const fits = isVisibleTo(owner)
        const entries = [...changed].filter(entry => !entry.isDropped && fits(entry))
        changed.clear()
        return this.#summaries(entries.sort((a, b) => b.order - a.order))
      },
      close: () => void this.#watches.delete(changed),
    }
  }

  /** By the id of the request or of the response, or by an unambiguous beginning of the request's id. */
  get(id: string, owner?: string): Trace | undefined {
    const entry = find(this.#visible(owner), id)
    if (entry === undefined) return undefined
    const [summary = readSummary(entry)] = this.#summaries([entry])
    return readTrace(entry, summary, this.#masker, facts => this.#detail(facts))
  }

  /** With their conversations, which are found in the order in which the exchanges began. */
  #summaries(newestFirst: readonly Entry[]): TraceSummary[] {
    for (const entry of newestFirst.toReversed()) this.#findPlace(entry)
    return newestFirst.map(readSummary)
  }

  #findPlace(entry: Entry): void {
    const [part] = entry.views['client-request']?.parts() ?? []
    const scope = entry.facts?.owner ?? entry.owner ?? nobody
    if (part === undefined) return
    if (entry.place === undefined) {
      const { prompt, ...facts } = conversationFacts(part.head?.headers ?? {}, part.bytes.toString())
      entry.place = this.#conversations.place(entry.id, scope, facts)
      entry.prompt = prompt && maskedStart(prompt.trim().replaceAll(/\s+/g, ' '), 160, this.#masker)
    }
    const { response_id: responseId } = readSummary(entry)
    if (responseId !== undefined) this.#conversations.answered(scope, responseId, entry.place)
  }

  #noteChange(entry: Entry): void {
    for (const changed of this.#watches) changed.add(entry)
  }

  /** Without an owner, the exchanges of all owners. */
  #visible(owner: string | undefined): Entry[] {
    const ended = [...this.#ended.values()].flatMap(entries => [...entries])
    return [...ended, ...this.#running].filter(isVisibleTo(owner))
  }

  #leastWanted(shares: OwnerShares): Entry | undefined {
    const ended = this.#ended.get(shares.largest() ?? '')
    return ended?.values().next().value ?? this.#running.values().next().value
  }

  #addEnded(entry: Entry): void {
    const owner = entry.owner ?? nobody
    const entries = this.#ended.get(owner)
    if (entries === undefined) this.#ended.set(owner, new Set([entry]))
    else entries.add(entry)
    this.#endedCount++
    this.#entriesOf.add(owner, 1)
    this.#bytesOf.add(owner, entry.bytes)
  }

  #removeEnded(entry: Entry): void {
    const owner = entry.owner ?? nobody
    const entries = this.#ended.get(owner)
    if (entries?.delete(entry) !== true) return
    if (entries.size === 0) this.#ended.delete(owner)
    this.#endedCount--
    this.#entriesOf.add(owner, -1)
    this.#bytesOf.add(owner, -entry.bytes)
  }

  #drop(entry: Entry): void {
    this.#running.delete(entry)
    this.#removeEnded(entry)
    this.#strays.delete(entry)
    this.#release(entry, entry.bytes)
    entry.isDropped = true
    for (const name of viewNames) entry.views[name]?.free()
    entry.views = {}
  }

  /** Drops others until there is room. An exchange that finds none is cut short, not dropped. */
  #reserve(entry: Entry, bytes: number): boolean {
    if (entry.isDropped || bytes > this.#limits.bytes) return false
    while (this.#bytes + bytes > this.#limits.bytes) {
      const victim = this.#leastWanted(this.#bytesOf)
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

  #recorder(entry: Entry, name: ViewName): ViewRecorder {
    entry.views[name] ??= new ViewRecorder({
      limit: this.#limits.viewBytes,
      reserve: bytes => this.#reserve(entry, bytes),
      pool: this.#pool,
      now: this.#now,
    })
    return entry.views[name]
  }

  #end(entry: Entry, facts: ExchangeFacts): void {
    entry.facts = undefined
    if (entry.isDropped) return
    if (isHousekeeping(facts)) {
      this.#drop(entry)
      return
    }
    for (const name of viewNames) entry.views[name]?.flush()
    this.#shareBuffers(entry, 'upstream-request', 'client-request')
    this.#shareBuffers(entry, 'client-answer', 'upstream-answer')
    entry.owner = facts.owner
    entry.client = facts.client
    entry.tools = toolsOf(facts)
    entry.startedAt = facts.startedAt
    entry.record = this.#recordText(facts)
    entry.detail = hasDetail(facts) ? JSON.stringify(this.#detail(facts)) : ''
    if (!this.#reserve(entry, 2 * (entry.record.length + entry.detail.length))) {
      this.#drop(entry)
      return
    }
    this.#running.delete(entry)
    this.#addEnded(entry)
    this.#noteChange(entry)
    if (facts.route === 'unknown') this.#addStray(entry)
  }

  #detail(facts: DetailFacts): TraceDetail {
    const detail = detailOf(facts, this.#masker)
    return this.#hasBodies ? detail : withoutWords(detail)
  }

  /** With the same wire on both sides, bytes pass through unchanged, and one copy is enough. */
  #shareBuffers(entry: Entry, copy: ViewName, original: ViewName): void {
    const from = entry.views[original]
    if (from !== undefined) this.#release(entry, entry.views[copy]?.shareBuffers(from) ?? 0)
  }

  #addStray(entry: Entry): void {
    this.#strays.add(entry)
    const [oldest] = this.#strays
    if (oldest !== undefined && this.#strays.size > maxStrays) this.#drop(oldest)
  }
}

export function createTraceRing(options: TraceRingOptions = {}): TraceRing {
  return new TraceRing(options)
}

interface EntryWriter {
  readonly hasViews: boolean
  recorder(name: ViewName): ViewRecorder
  end(): void
}

class TraceObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly #entry: Entry
  readonly #writer: EntryWriter
  #isWanted = false

  constructor(facts: ExchangeFacts, entry: Entry, writer: EntryWriter) {
    this.facts = facts
    this.#entry = entry
    this.#writer = writer
  }

  /** Read before every chunk. An exchange that was once worth tracing stays so. */
  get wantsViews(): boolean {
    if (!this.#writer.hasViews || this.#entry.isDropped || this.#entry.facts === undefined) return false
    this.#isWanted ||= !isHousekeeping(this.facts)
    return this.#isWanted
  }

  view(name: ViewName, chunk: string | Uint8Array): void {
    if (this.wantsViews) this.#writer.recorder(name).chunk(chunk)
  }

  viewHead(name: ViewName, head: ViewHead): void {
    if (this.wantsViews) this.#writer.recorder(name).head(head)
  }

  end(): void {
    if (this.#entry.facts !== undefined) this.#writer.end()
  }
}
