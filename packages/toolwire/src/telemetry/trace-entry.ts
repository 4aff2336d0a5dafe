/** One exchange in the ring, and how it is read. */
import type { Diagnostic } from '@toolwire/core'
import type { Steps } from '../platform/steps.ts'
import type { PagePool } from './byte-tape.ts'
import type { ConversationPlace } from './conversation-facts.ts'
import { readRecord, recordText } from './exchange-line.ts'
import { recordOf } from './exchange-record.ts'
import { clipText, createMasker, type Masker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts, Observation, ViewHead, ViewName } from './observer.ts'
import { isHousekeeping } from './observer.ts'
import type { Trace, TraceDetail, TraceSummary, TraceView } from './trace-document.ts'
import { attemptsOf, keptOf, maxAttempts, viewOf } from './trace-document.ts'
import { ViewJournal, type ViewMemory, viewNames } from './view-journal.ts'

const minPrefixLength = 6
const nameMasker = createMasker()

/** The ring, as its entries know it. */
export interface EntryRing {
  readonly hasViews: boolean
  readonly pool: PagePool
  readonly viewLimit: number
  now(): number
  /** Somebody wants to know of every change. */
  readonly isWatched: boolean
  changed(entry: Entry): void
  reserve(entry: Entry, bytes: number): boolean
  hasEnded(entry: Entry): void
}

export class Entry implements Observation, ViewMemory {
  /** Once it has ended, what its journal has no record of. */
  facts: ExchangeFacts
  readonly order: number
  /** Written out of the facts, where those could hold more in memory than is counted. */
  detail: string | undefined
  /** Of facts that were written out. */
  lossCodes: TraceSummary['loss_codes']
  isEnded = false
  isDropped = false
  /** Found when somebody reads. */
  place: ConversationPlace | undefined
  /** Its place and the id of its answer are known to others. */
  isPlaced = false
  prompt: string | undefined
  answerId: string | undefined
  readonly journal: ViewJournal
  bytes = 0
  readonly #ring: EntryRing
  #isWanted = false

  constructor(facts: ExchangeFacts, order: number, ring: EntryRing) {
    this.facts = facts
    this.order = order
    this.#ring = ring
    this.journal = new ViewJournal(this)
  }

  /** Read before every chunk. An exchange that was once worth tracing stays so. */
  get wantsViews(): boolean {
    if (this.isDropped || this.isEnded || !this.#ring.hasViews) return false
    this.#isWanted ||= !isHousekeeping(this.facts)
    return this.#isWanted
  }

  view(name: ViewName, chunk: string | Uint8Array, isLent?: boolean, same?: Uint8Array): void {
    if (!this.wantsViews) return
    this.journal.chunk(name, chunk, isLent, same)
    if (this.#ring.isWatched) this.#ring.changed(this)
  }

  viewHead(name: ViewName, head: ViewHead): void {
    if (!this.wantsViews) return
    this.journal.head(name, head)
    if (this.#ring.isWatched) this.#ring.changed(this)
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#ring.hasEnded(this)
    this.journal.close()
  }

  get pool(): PagePool {
    return this.#ring.pool
  }

  get viewLimit(): number {
    return this.#ring.viewLimit
  }

  now(): number {
    return this.#ring.now()
  }

  reserve(bytes: number): boolean {
    return this.#ring.reserve(this, bytes)
  }
}

/** What the lists and texts of an exchange take in memory, about. */
function factsCost(facts: ExchangeFacts): number {
  const { losses, notes, clientCalls, toolRuns, failure } = facts
  let cost = 2 * (failure?.message.length ?? 0)
  if (losses !== undefined) cost += diagnosticsCost(losses)
  if (notes !== undefined) cost += diagnosticsCost(notes)
  if (clientCalls !== undefined) for (const name of clientCalls) cost += 32 + 2 * name.length
  if (toolRuns !== undefined)
    for (const { name, callId } of toolRuns) cost += 100 + 2 * (name.length + callId.length)
  return cost
}

const attemptCost = 160
/** Longer lists and texts are written out, which bounds them. */
const longFacts = 16 * 1024

/**
 * Puts the record of an exchange that has ended into its journal, where no collection of garbage looks at it. The rest stays as it
 * is, to be read when somebody asks; but a name in it may be a piece of a body, and hold all of it in memory. So that of an
 * exchange that was not kept whole is written out. Returns what the rest takes, or `undefined` if there is no memory for the record.
 */
export function keepFacts(
  entry: Entry,
  detailFor: (facts: ExchangeFacts) => TraceDetail,
): number | undefined {
  const { facts, journal } = entry
  if (!journal.writeRecord(recordText(facts))) return undefined
  const { id, route, at, startedAt, owner = '', client = '', lane, inputCost, cachedCost } = facts
  const kept: ExchangeFacts = { id, route, at, startedAt, owner, client }
  if (lane !== undefined) kept.lane = lane
  if (inputCost !== undefined) kept.inputCost = inputCost
  if (cachedCost !== undefined) kept.cachedCost = cachedCost
  const { attempts, clientCalls, toolRuns, failure, losses, notes } = facts
  if (attempts !== undefined) kept.attempts = attempts
  entry.facts = kept
  const cost = attemptCost * (attempts?.length ?? 0) + factsCost(facts)
  if (cost > longFacts || journal.isCut) {
    const detail = JSON.stringify(detailFor(facts))
    entry.detail = detail
    entry.lossCodes = lossCodesOf(facts)
    kept.clientCalls = toolsOf(facts)
    if (attempts !== undefined) kept.attempts = attempts.slice(0, maxAttempts)
    return 2 * detail.length + attemptCost * (attempts?.length ?? 0)
  }
  if (clientCalls !== undefined) kept.clientCalls = clientCalls
  if (toolRuns !== undefined) kept.toolRuns = toolRuns
  if (failure !== undefined) kept.failure = failure
  if (losses !== undefined) kept.losses = losses
  if (notes !== undefined) kept.notes = notes
  return cost
}

function diagnosticsCost(diagnostics: readonly Diagnostic[]): number {
  let cost = 0
  for (const { message, path } of diagnostics) {
    cost += 100 + 2 * message.length
    for (const step of path) cost += 16 + (typeof step === 'string' ? 2 * step.length : 0)
  }
  return cost
}

export function find(entries: readonly Entry[], id: string): Entry | undefined {
  const exact = entries.findLast(entry => entry.facts.id === id || readSummary(entry).response_id === id)
  if (exact !== undefined || id.length < minPrefixLength) return exact
  const [first, ...more] = entries.filter(entry => entry.facts.id.startsWith(id))
  return more.length === 0 ? first : undefined
}

export function isVisibleTo(owner: string | undefined): (entry: Entry) => boolean {
  return ({ facts, isEnded }) =>
    (isEnded || !isHousekeeping(facts)) && (owner === undefined || facts.owner === owner)
}

const shownTools = 20

function toolsOf({ clientCalls = [], toolRuns = [] }: ExchangeFacts): readonly string[] {
  if (clientCalls.length + toolRuns.length === 0) return []
  return [...new Set([...clientCalls, ...toolRuns.map(({ name }) => name)])]
    .slice(0, shownTools)
    .map(name => clipText(name, 100))
}

function lossCodesOf({ losses = [] }: ExchangeFacts): TraceSummary['loss_codes'] {
  if (losses.length === 0) return undefined
  const counts: Record<string, number> = {}
  for (const { code } of losses) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

// What was written out was written here, from these types.
export function readSummary(entry: Entry): TraceSummary {
  const { facts, place, journal, isEnded } = entry
  const { lane, inputCost, cachedCost } = facts
  const tools = toolsOf(facts)
  const lossCodes = entry.lossCodes ?? lossCodesOf(facts)
  return {
    ...(isEnded ? readRecord(facts.at, journal.record) : recordOf(facts)),
    ...clientOf(facts.client),
    ...(lane !== undefined && { lane: lane.slice(lane.indexOf('/') + 1) }),
    ...(inputCost !== undefined && { input_cost_usd: inputCost }),
    ...(cachedCost !== undefined && { cached_cost_usd: cachedCost }),
    ...(entry.answerId !== undefined && { response_id: entry.answerId }),
    ...place,
    ...(entry.prompt !== undefined && { prompt: entry.prompt }),
    ...(journal.has('client-answer') && { answer_bytes: journal.size('client-answer') }),
    ...(tools.length > 0 && { tools }),
    ...(lossCodes !== undefined && { loss_codes: lossCodes }),
    state: isEnded ? 'ended' : 'running',
  }
}

function clientOf(client: string | undefined): Pick<TraceSummary, 'client'> {
  return client === undefined || client === '' ? {} : { client: maskedStart(client, 100, nameMasker) }
}

export function* readTrace(
  entry: Entry,
  summary: TraceSummary,
  masker: Masker,
  detailFor: (facts: ExchangeFacts) => TraceDetail,
): Steps<Trace> {
  const { facts, detail, journal } = entry
  const views: { [name in ViewName]?: TraceView } = {}
  // All are copied before others run, who may drop the exchange.
  const kept = viewNames.filter(name => journal.has(name)).map(name => ({ name, ...keptOf(journal, name) }))
  for (const { name, ...view } of kept) {
    const read = viewOf(view, masker, facts.startedAt)
    views[name] = read
    for (const { text } of read.parts) yield text.length
  }
  return {
    summary,
    ...(detail === undefined ? detailFor(facts) : (JSON.parse(detail) as TraceDetail)),
    ...attemptsOf(facts.attempts, facts.startedAt),
    views,
  }
}
