/**
 * The exchanges of the recent past with their four raw views, in memory. Bounded in number and in bytes: the oldest
 * that are over go first, then the oldest that still run.
 */

import { createBlockPool } from './block-pool.ts'
import type { ExchangeRecord, RecordText } from './exchange-record.ts'
import { createRecordText, recordOf } from './exchange-record.ts'
import { isHousekeeping } from './housekeeping-routes.ts'
import type { Masker } from './mask-secrets.ts'
import { createMasker } from './mask-secrets.ts'
import type { ExchangeFacts, Observation, Observer, TraceReader, ViewName } from './observer.ts'
import type { Trace, TraceDetail, TraceSummary, TraceView } from './trace-document.ts'
import { detailOf, hasDetail, summaryOf, viewOf } from './trace-document.ts'
import type { RecorderOptions, ViewRecorder } from './view-recorder.ts'
import { createViewRecorder } from './view-recorder.ts'

export interface TraceRingOptions {
  readonly entries?: number
  readonly bytes?: number
  /** Of one view; what comes after is only counted. */
  readonly viewBytes?: number
  /** Keys known by their very letters, to be masked wherever they appear. Short ones are ignored. */
  readonly secrets?: readonly string[]
  /** Shared with others who watch the same exchanges. */
  readonly recordText?: RecordText
}

export interface TraceRing extends Observer, TraceReader {
  list(limit: number, owner?: string): readonly TraceSummary[]
  /** By the id of the request or of the response, or by an unmistakable beginning of the former. */
  get(id: string, owner?: string): Trace | undefined
  /** What the kept views and facts take. */
  readonly bytes: number
}

type Views = { [name in ViewName]: ViewRecorder | undefined }

interface Entry {
  readonly id: string
  readonly order: number
  owner: string | undefined
  views: Views
  /** The same for all of its views. */
  recorderOptions: RecorderOptions | undefined
  /** Until the exchange is over. */
  facts: ExchangeFacts | undefined
  /** From then on, as JSON texts: small and of known size, whatever hung on the facts. */
  record: string
  detail: string
  bytes: number
  dropped: boolean
}

/** What an exchange takes beside its bytes and texts. */
const entryCost = 1024
const shortestPrefix = 6
const viewNames: readonly ViewName[] = [
  'client-request',
  'upstream-request',
  'upstream-answer',
  'client-answer',
]
/** Where one wire is on both sides, what one side said goes to the other as it is. */
const originals: { readonly [name in ViewName]?: ViewName } = {
  'upstream-request': 'client-request',
  'client-answer': 'upstream-answer',
}
/** Of free memory, beside what is kept: enough for the exchanges of a moment. */
const mostFree = 1024 * 1024
/** Requests that were turned away at the door. Anybody can send them, so they must not push out the others. */
const mostStrays = 20

export function createTraceRing(options: TraceRingOptions = {}): TraceRing {
  const { entries = 200, bytes: limit = 32 * 1024 * 1024, viewBytes = 256 * 1024, secrets = [] } = options
  const { recordText = createRecordText() } = options
  const masker = createMasker(secrets)
  const blocks = createBlockPool(Math.min(mostFree, limit / 8))
  const running = new Set<Entry>()
  const over = new Set<Entry>()
  const strays = new Set<Entry>()
  let total = 0
  let count = 0

  const drop = (entry: Entry): void => {
    running.delete(entry)
    over.delete(entry)
    strays.delete(entry)
    total -= entry.bytes
    entry.bytes = 0
    entry.dropped = true
    for (const name of viewNames) entry.views[name]?.free()
    entry.views = noViews()
  }
  const oldest = (): Entry | undefined => over.values().next().value ?? running.values().next().value
  /** Drops others until there is room. An exchange that finds none is cut short, not dropped. */
  const reserve = (entry: Entry, bytes: number): boolean => {
    if (entry.dropped || bytes > limit) return false
    while (total + bytes > limit) {
      const victim = oldest()
      if (victim === undefined || victim === entry) return false
      drop(victim)
    }
    total += bytes
    entry.bytes += bytes
    return true
  }
  const viewOfEntry = (entry: Entry, name: ViewName): ViewRecorder => {
    const known = entry.views[name]
    if (known !== undefined) return known
    entry.recorderOptions ??= { limit: viewBytes, reserve: bytes => reserve(entry, bytes), blocks }
    const original = originals[name]
    const recorder = createViewRecorder(entry.recorderOptions, original && entry.views[original])
    entry.views[name] = recorder
    return recorder
  }

  const addStray = (entry: Entry): void => {
    strays.add(entry)
    const [first] = strays
    if (first !== undefined && strays.size > mostStrays) drop(first)
  }

  const finish = (entry: Entry, facts: ExchangeFacts): void => {
    if (entry.dropped) return
    if (isHousekeeping(facts)) {
      drop(entry)
      return
    }
    for (const name of viewNames) entry.views[name]?.settle()
    entry.facts = undefined
    entry.owner = facts.owner
    entry.record = recordText(facts)
    entry.detail = hasDetail(facts) ? JSON.stringify(detailOf(facts, masker)) : ''
    if (!reserve(entry, 2 * (entry.record.length + entry.detail.length))) {
      drop(entry)
      return
    }
    running.delete(entry)
    over.add(entry)
    if (facts.route === 'unknown') addStray(entry)
  }

  return {
    begin(facts) {
      const entry = newEntry(facts, count++)
      while (running.size + over.size >= Math.max(1, entries)) drop(oldest() ?? entry)
      if (reserve(entry, entryCost)) running.add(entry)
      else entry.dropped = true
      return new TraceObservation(facts, entry, { viewOf: viewOfEntry, finish })
    },
    list(most, owner) {
      return [...over, ...running]
        .filter(isShown)
        .filter(isOf(owner))
        .sort((a, b) => b.order - a.order)
        .slice(0, most)
        .map(readSummary)
    },
    get(id, owner) {
      const entry = find([...over, ...running].filter(isShown).filter(isOf(owner)), id)
      return entry === undefined ? undefined : readTrace(entry, masker)
    },
    get bytes() {
      return total
    },
  }
}

interface TraceKeeper {
  viewOf(entry: Entry, name: ViewName): ViewRecorder
  finish(entry: Entry, facts: ExchangeFacts): void
}

class TraceObservation implements Observation {
  readonly facts: ExchangeFacts
  readonly #entry: Entry
  readonly #keeper: TraceKeeper
  #isKept = false

  constructor(facts: ExchangeFacts, entry: Entry, keeper: TraceKeeper) {
    this.facts = facts
    this.#entry = entry
    this.#keeper = keeper
  }

  /** Asked before every chunk. What has turned out to be worth keeping stays so. */
  get wantsViews(): boolean {
    if (this.#entry.dropped) return false
    this.#isKept ||= !isHousekeeping(this.facts)
    return this.#isKept
  }

  view(name: ViewName, chunk: string | Uint8Array): void {
    if (this.wantsViews) this.#keeper.viewOf(this.#entry, name).chunk(chunk)
  }

  viewHead(name: ViewName, head: { readonly line: string; readonly headers: Record<string, string> }): void {
    if (this.wantsViews) this.#keeper.viewOf(this.#entry, name).head(head)
  }

  end(): void {
    if (this.#entry.facts !== undefined) this.#keeper.finish(this.#entry, this.facts)
  }
}

/** Without an owner, everybody's. */
function isOf(owner: string | undefined): (entry: Entry) => boolean {
  return entry => owner === undefined || (entry.facts?.owner ?? entry.owner) === owner
}

function newEntry(facts: ExchangeFacts, order: number): Entry {
  return {
    id: facts.id,
    order,
    owner: undefined,
    facts,
    record: '',
    detail: '',
    views: noViews(),
    recorderOptions: undefined,
    bytes: 0,
    dropped: false,
  }
}

function noViews(): Views {
  return {
    'client-request': undefined,
    'upstream-request': undefined,
    'upstream-answer': undefined,
    'client-answer': undefined,
  }
}

function isShown({ facts }: Entry): boolean {
  return facts === undefined || !isHousekeeping(facts)
}

function find(entries: readonly Entry[], id: string): Entry | undefined {
  const exact = entries.findLast(entry => entry.id === id || readSummary(entry).response_id === id)
  if (exact !== undefined || id.length < shortestPrefix) return exact
  const [first, ...more] = entries.filter(entry => entry.id.startsWith(id))
  return more.length === 0 ? first : undefined
}

// Both texts were written here, from these types.
function readSummary({ facts, record }: Entry): TraceSummary {
  if (facts !== undefined) return summaryOf(recordOf(facts), 'running')
  return summaryOf(JSON.parse(record) as ExchangeRecord, 'ended')
}

function readDetail({ facts, detail }: Entry, masker: Masker): TraceDetail {
  if (detail !== '') return JSON.parse(detail) as TraceDetail
  return detailOf(facts ?? {}, masker)
}

function readTrace(entry: Entry, masker: Masker): Trace {
  const views: { [name in ViewName]?: TraceView } = {}
  for (const name of viewNames) {
    const recorder = entry.views[name]
    if (recorder !== undefined) views[name] = viewOf(recorder, masker)
  }
  return { summary: readSummary(entry), ...readDetail(entry, masker), views }
}
