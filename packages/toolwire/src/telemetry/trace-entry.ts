/** One exchange in the ring, and how it is read. */
import type { Diagnostic } from '@toolwire/core'
import type { Steps } from '../platform/steps.ts'
import type { ConversationPlace } from './conversation-facts.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { recordOf } from './exchange-record.ts'
import { clipText, createMasker, type Masker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts, Observation, ViewHead, ViewName } from './observer.ts'
import { isHousekeeping } from './observer.ts'
import type { Trace, TraceDetail, TraceSummary, TraceView } from './trace-document.ts'
import { attemptsOf, maxAttempts, viewOf } from './trace-document.ts'
import { ViewJournal, type ViewMemory, viewNames } from './view-journal.ts'

const minPrefixLength = 6
const nameMasker = createMasker()

/** The ring, as its entries know it. */
export interface EntryRing {
  readonly hasViews: boolean
  readonly viewLimit: number
  now(): number
  /** Somebody wants to know of every change. */
  readonly isWatched: boolean
  changed(entry: Entry): void
  reserve(entry: Entry, bytes: number): boolean
  hasEnded(entry: Entry): void
}

/** What was written out of the facts of an exchange that ended. */
interface Written {
  readonly record: string
  readonly detail: string
}

export class Entry implements Observation, ViewMemory {
  facts: ExchangeFacts
  readonly order: number
  /** What stands for the facts, where those could hold more in memory than is counted. */
  written: Written | undefined
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
  journal: ViewJournal
  bytes = 0
  readonly #ring: EntryRing
  #isWanted = false

  constructor(facts: ExchangeFacts, order: number, ring: EntryRing) {
    this.facts = facts
    this.order = order
    this.#ring = ring
    this.journal = new ViewJournal(this)
  }

  get owner(): string | undefined {
    return this.facts.owner
  }

  /** Read before every chunk. An exchange that was once worth tracing stays so. */
  get wantsViews(): boolean {
    if (this.isDropped || this.isEnded || !this.#ring.hasViews) return false
    this.#isWanted ||= !isHousekeeping(this.facts)
    return this.#isWanted
  }

  view(name: ViewName, chunk: string | Uint8Array, isLent = false): void {
    if (!this.wantsViews) return
    this.journal.chunk(name, chunk, isLent)
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
    this.journal.close()
    this.#ring.hasEnded(this)
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
  const { losses, notes, clientCalls, toolRuns, failure, internal = '', model = '' } = facts
  let cost = 2 * ((failure?.message.length ?? 0) + internal.length + model.length)
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
 * Returns what the facts of an ended exchange take. They stay as they are, to be read when somebody asks; but a name in them
 * may be a piece of a body, and hold all of it in memory. So those of an exchange that was not kept whole are written out.
 */
export function keepFacts(entry: Entry, detailFor: (facts: ExchangeFacts) => TraceDetail): number {
  const { facts, journal } = entry
  const attempts = attemptCost * (facts.attempts?.length ?? 0)
  const cost = factsCost(facts)
  if (cost <= longFacts && !journal.isCut) return cost + attempts
  const record = JSON.stringify(recordOf(facts))
  const detail = JSON.stringify(detailFor(facts))
  entry.written = { record, detail }
  entry.lossCodes = lossCodesOf(facts)
  const { id, route, at, startedAt, owner = '', client = '', lane, inputCost, cachedCost } = facts
  entry.facts = {
    id,
    route,
    at,
    startedAt,
    owner,
    client,
    ...(lane !== undefined && { lane }),
    ...(inputCost !== undefined && { inputCost }),
    ...(cachedCost !== undefined && { cachedCost }),
    ...(facts.attempts !== undefined && { attempts: facts.attempts.slice(0, maxAttempts) }),
    clientCalls: toolsOf(facts),
  }
  return 2 * (record.length + detail.length) + attempts
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
  const { facts, written, place, journal, isEnded } = entry
  const { lane, inputCost, cachedCost } = facts
  const tools = toolsOf(facts)
  const lossCodes = entry.lossCodes ?? lossCodesOf(facts)
  return {
    ...(written === undefined ? recordOf(facts) : (JSON.parse(written.record) as ExchangeRecord)),
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
  const { facts, written, journal } = entry
  const views: { [name in ViewName]?: TraceView } = {}
  for (const name of viewNames) {
    if (!journal.has(name)) continue
    const view = viewOf(journal, name, masker, facts.startedAt)
    views[name] = view
    for (const { text } of view.parts) yield text.length
  }
  return {
    summary,
    ...(written === undefined ? detailFor(facts) : (JSON.parse(written.detail) as TraceDetail)),
    ...attemptsOf(facts.attempts, facts.startedAt),
    views,
  }
}
