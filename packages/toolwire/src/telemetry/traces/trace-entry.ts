/** One exchange in the ring, and how it is read. */
import type { Diagnostic } from '@toolwire/core'
import type { Placed } from '../../platform/passing.ts'
import type { Steps } from '../../platform/steps.ts'
import { readRecord, recordText } from '../exchange-line.ts'
import { type ExchangeRecord, recordOf } from '../exchange-record.ts'
import { clipText, createMasker, type Masker, maskedStart } from '../mask-secrets.ts'
import type { ExchangeFacts, ViewName } from '../observer.ts'
import { isHousekeeping } from '../observer.ts'
import { ByteTape, bytesOf, type PagePool, pageBytes } from './byte-tape.ts'
import type { ConversationPlace } from './conversation-facts.ts'
import type { DetailFacts, Trace, TraceDetail, TraceSummary, TraceView } from './trace-document.ts'
import { attemptsOf, maxAttempts, viewOf } from './trace-document.ts'
import { headsText, readHeads } from './view-head.ts'
import type { ViewJournal } from './view-journal.ts'
import { hasView, omittedOf, partsOf, type RecordedViews, sizeOf, viewNames } from './view-journal.ts'

const minPrefixLength = 6
/** Whose a request is that was refused before it was known. */
export const nobody = 'nobody'
const nameMasker = createMasker()

type BesideRecord =
  | 'at'
  | 'startedAt'
  | 'client'
  | 'lane'
  | 'inputCost'
  | 'cachedCost'
  | 'attempts'
  | 'clientCalls'
  | 'toolRuns'
  | 'failure'
  | 'losses'
  | 'notes'

/** What is known of an exchange beside its record. */
interface MoreFacts extends Readonly<Undefinable<Pick<ExchangeFacts, BesideRecord>>> {
  readonly at: number
  readonly startedAt: number
  readonly counts: readonly number[]
  readonly lossCodes: TraceSummary['loss_codes']
}

type Undefinable<T> = { [name in keyof T]: T[name] | undefined }

interface KnownFacts {
  readonly record: ExchangeRecord
  readonly more: MoreFacts
}

/** An exchange that has not ended, as far as its entry knows it. */
interface Running {
  readonly facts: ExchangeFacts
  readonly journal: ViewJournal
}

type MakeDetail = (facts: DetailFacts) => TraceDetail

/**
 * What the ring has of an exchange. Of one that has ended these are bytes, and hardly an object besides: whatever refers to
 * others makes each collection of garbage dearer, for as long as it is kept.
 */
export class Entry implements Placed {
  readonly id: string
  readonly order: number
  readonly tape: ByteTape
  place = -1
  /** As long as the exchange runs. */
  recording: Running | undefined
  /** Whose it is, once it has ended. */
  owner: string | undefined
  isDropped = false
  isStray = false
  bytes = 0
  /** Found when somebody reads. */
  conversation: ConversationPlace | undefined
  /** Its place and the id of its answer are known to others. */
  isPlaced = false
  prompt: string | undefined
  answerId: string | undefined
  /** Of one that has ended: where its facts stand on the tape, and behind them its heads, its detail and its marks. */
  #factsAt = 0
  #headsAt = 0
  #detailAt = 0
  #marksAt = 0
  #marksEnd = 0

  constructor(id: string, order: number, pool: PagePool) {
    this.id = id
    this.order = order
    this.tape = new ByteTape(pool)
  }

  get isEnded(): boolean {
    return this.recording === undefined
  }

  get views(): RecordedViews {
    if (this.recording !== undefined) return this.recording.journal
    const { tape } = this
    const heads = readHeads(this.#text(this.#headsAt, this.#detailAt))
    return {
      tape,
      counts: this.known.more.counts,
      heads,
      marks: readMarks(tape, this.#marksAt, this.#marksEnd),
    }
  }

  get known(): KnownFacts {
    if (this.recording !== undefined) {
      const { facts, journal } = this.recording
      return { record: recordOf(facts), more: moreOf(facts, journal.counts, false) }
    }
    const [record = '', more = '{}'] = this.#text(this.#factsAt, this.#headsAt).split('\n')
    const facts = JSON.parse(more) as MoreFacts
    return { record: readRecord(facts.at, record), more: facts }
  }

  /** As JSON; empty where it can be made of what is known. */
  get detail(): string {
    return this.recording === undefined ? this.#text(this.#detailAt, this.#marksAt) : ''
  }

  /** What the times of the views count from. */
  get timesFrom(): number {
    return this.recording?.facts.startedAt ?? 0
  }

  /**
   * The exchange has ended: writes what is to be known of it behind what has passed, and forgets the rest. `reserve` asks for
   * memory; where there is none, nothing is written, and the result is `false`.
   */
  seal({ facts, journal }: Running, makeDetail: MakeDetail, reserve: (bytes: number) => boolean): boolean {
    const { tape } = this
    const { marks, heads, counts, isCut } = journal
    const isLong = isCut || costOf(facts) > longFacts
    const known = `${recordText(facts)}\n${JSON.stringify(moreOf(facts, counts, isLong))}`
    const texts = [known, headsText(heads), isLong ? JSON.stringify(makeDetail(facts)) : '']
    this.recording = undefined
    this.owner = facts.owner
    const ends: number[] = []
    for (const text of texts) {
      ends.push(tape.length)
      if (!this.#write(text === '' ? nothing : bytesOf(text), reserve)) return false
    }
    const [factsAt = 0, headsAt = 0, detailAt = 0] = ends
    this.#factsAt = factsAt
    this.#headsAt = headsAt
    this.#detailAt = detailAt
    this.#marksAt = tape.length
    for (const bytes of bytesOfMarks(marks, facts.startedAt)) if (!this.#write(bytes, reserve)) return false
    this.#marksEnd = tape.length
    return true
  }

  #write(bytes: Uint8Array, reserve: (bytes: number) => boolean): boolean {
    const pages = this.tape.pagesFor(bytes.length)
    if (pages > 0 && !reserve(pages * pageBytes)) return false
    this.tape.write(bytes)
    return true
  }

  #text(from: number, to: number): string {
    const bytes = Buffer.allocUnsafe(to - from)
    this.tape.read(from, bytes.length, bytes, 0)
    return bytes.toString()
  }
}

const nothing = new Uint8Array()

/** So many numbers are written at a time. */
const portion = new Float64Array(512)
const portionBytes = new Uint8Array(portion.buffer)

/** The times among them are told from the start. Each portion is to be used before the next one. */
function* bytesOfMarks(marks: readonly number[], startedAt: number): Generator<Uint8Array> {
  for (let from = 0; from < marks.length; from += portion.length) {
    const count = Math.min(marks.length - from, portion.length)
    for (let i = 0; i < count; i++) {
      const number = marks[from + i] ?? 0
      portion[i] = i % 4 === 0 ? number - startedAt : number
    }
    yield portionBytes.subarray(0, count * Float64Array.BYTES_PER_ELEMENT)
  }
}

function readMarks(tape: ByteTape, from: number, to: number): Float64Array {
  const bytes = new Uint8Array(to - from)
  tape.read(from, bytes.length, bytes, 0)
  return new Float64Array(bytes.buffer)
}

/** `isLong`: lists and texts are not here, but in a detail that is written out. */
function moreOf(facts: ExchangeFacts, counts: readonly number[], isLong: boolean): MoreFacts {
  const { at, startedAt, client, lane, inputCost, cachedCost, attempts } = facts
  const { failure, clientCalls, toolRuns, losses, notes } = facts
  return {
    at,
    startedAt,
    client,
    lane,
    inputCost,
    cachedCost,
    attempts: isLong ? attempts?.slice(0, maxAttempts) : attempts,
    clientCalls: isLong ? toolsOf(facts) : clientCalls,
    toolRuns: isLong ? undefined : toolRuns,
    failure: isLong ? undefined : failure,
    losses: isLong ? undefined : losses,
    notes: isLong ? undefined : notes,
    lossCodes: isLong ? lossCodesOf(facts) : undefined,
    counts,
  }
}

/** What the lists and texts of an exchange take when they are written, about. */
function costOf(facts: ExchangeFacts): number {
  const { losses, notes, clientCalls, toolRuns, failure, attempts } = facts
  let cost = (failure?.message.length ?? 0) + 100 * (attempts?.length ?? 0)
  if (losses !== undefined) cost += diagnosticsCost(losses)
  if (notes !== undefined) cost += diagnosticsCost(notes)
  if (clientCalls !== undefined) for (const name of clientCalls) cost += 4 + name.length
  if (toolRuns !== undefined)
    for (const { name, callId } of toolRuns) cost += 100 + name.length + callId.length
  return cost
}

function diagnosticsCost(diagnostics: readonly Diagnostic[]): number {
  let cost = 0
  for (const { message, path } of diagnostics) {
    cost += 100 + message.length
    for (const step of path) cost += 4 + (typeof step === 'string' ? step.length : 0)
  }
  return cost
}

/** Longer lists and texts are cut when they are written. */
const longFacts = 16 * 1024

export function find(entries: readonly Entry[], id: string): Entry | undefined {
  const exact = entries.findLast(entry => entry.id === id || readSummary(entry).response_id === id)
  if (exact !== undefined || id.length < minPrefixLength) return exact
  const [first, ...more] = entries.filter(entry => entry.id.startsWith(id))
  return more.length === 0 ? first : undefined
}

export function isVisibleTo(owner: string | undefined): (entry: Entry) => boolean {
  return entry => {
    const { recording } = entry
    if (recording !== undefined && isHousekeeping(recording.facts)) return false
    return owner === undefined || ownerOf(entry) === owner
  }
}

export function ownerOf({ recording, owner }: Entry): string | undefined {
  return recording === undefined ? owner : recording.facts.owner
}

const shownTools = 20

type ToolFacts = Undefinable<Pick<ExchangeFacts, 'clientCalls' | 'toolRuns'>>

function toolsOf({ clientCalls = [], toolRuns = [] }: ToolFacts): readonly string[] {
  return [...new Set([...clientCalls, ...toolRuns.map(({ name }) => name)])]
    .slice(0, shownTools)
    .map(name => clipText(name, 100))
}

function lossCodesOf({
  losses = [],
}: Undefinable<Pick<ExchangeFacts, 'losses'>>): TraceSummary['loss_codes'] {
  if (losses.length === 0) return undefined
  const counts: Record<string, number> = {}
  for (const { code } of losses) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

export function readSummary(entry: Entry): TraceSummary {
  const { conversation, isEnded, known } = entry
  const { record, more } = known
  const { client = '', lane, inputCost, cachedCost, lossCodes = lossCodesOf(more) } = more
  const tools = toolsOf(more)
  return {
    ...record,
    ...(client !== '' && { client: maskedStart(client, 100, nameMasker) }),
    ...(lane !== undefined && { lane: lane.slice(lane.indexOf('/') + 1) }),
    ...(inputCost !== undefined && { input_cost_usd: inputCost }),
    ...(cachedCost !== undefined && { cached_cost_usd: cachedCost }),
    ...(entry.answerId !== undefined && { response_id: entry.answerId }),
    ...conversation,
    ...(entry.prompt !== undefined && { prompt: entry.prompt }),
    ...(hasView(more, 'client-answer') && { answer_bytes: sizeOf(more, 'client-answer') }),
    ...(tools.length > 0 && { tools }),
    ...(lossCodes !== undefined && { loss_codes: lossCodes }),
    state: isEnded ? 'ended' : 'running',
  }
}

export function* readTrace(
  entry: Entry,
  summary: TraceSummary,
  masker: Masker,
  makeDetail: MakeDetail,
): Steps<Trace> {
  const { views: recorded, timesFrom } = entry
  const { more } = entry.known
  const { attempts, startedAt } = more
  const detail =
    entry.detail === '' ? makeDetail(more) : (JSON.parse(masker.text(entry.detail)) as TraceDetail)
  // All are copied before others run, who may drop the exchange.
  const kept = viewNames
    .filter(name => hasView(recorded, name))
    .map(name => ({ name, parts: partsOf(recorded, name), omitted: omittedOf(recorded, name) }))
  const views: { [name in ViewName]?: TraceView } = {}
  for (const { name, ...view } of kept) {
    const read = viewOf(view, masker, timesFrom)
    views[name] = read
    for (const { text } of read.parts) yield text.length
  }
  return {
    summary,
    ...detail,
    ...(attempts !== undefined && { attempts: attemptsOf(attempts, startedAt) }),
    views,
  }
}
