/** One exchange in the ring, and how it is read. */
import type { ConversationPlace } from './conversation-facts.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { recordOf } from './exchange-record.ts'
import { clipText, createMasker, type Masker, maskedStart } from './mask-secrets.ts'
import { type ExchangeFacts, isHousekeeping, type ViewName } from './observer.ts'
import type { DetailFacts, Trace, TraceDetail, TraceSummary, TraceView } from './trace-document.ts'
import { viewOf } from './trace-document.ts'
import type { ViewRecorder } from './view-recorder.ts'

export interface Entry {
  readonly id: string
  readonly order: number
  /** Until the exchange has ended. */
  facts: ExchangeFacts | undefined
  /** Set at the end. Texts, because they are small and of known size, whatever the facts refer to. */
  owner: string | undefined
  record: string
  detail: string
  client: string | undefined
  tools: readonly string[]
  startedAt: number
  /** Found when somebody reads. */
  place: ConversationPlace | undefined
  prompt: string | undefined
  views: { [name in ViewName]?: ViewRecorder }
  bytes: number
  isDropped: boolean
}

const minPrefixLength = 6
const nameMasker = createMasker()

export const viewNames: readonly ViewName[] = [
  'client-request',
  'upstream-request',
  'upstream-answer',
  'client-answer',
]

export function newEntry(facts: ExchangeFacts, order: number): Entry {
  return {
    id: facts.id,
    order,
    facts,
    owner: undefined,
    record: '',
    detail: '',
    client: undefined,
    tools: [],
    startedAt: facts.startedAt,
    place: undefined,
    prompt: undefined,
    views: {},
    bytes: 0,
    isDropped: false,
  }
}

export function find(entries: readonly Entry[], id: string): Entry | undefined {
  const exact = entries.findLast(entry => entry.id === id || readSummary(entry).response_id === id)
  if (exact !== undefined || id.length < minPrefixLength) return exact
  const [first, ...more] = entries.filter(entry => entry.id.startsWith(id))
  return more.length === 0 ? first : undefined
}

export function isVisibleTo(owner: string | undefined): (entry: Entry) => boolean {
  return ({ facts, owner: lastOwner }) =>
    (facts === undefined || !isHousekeeping(facts)) &&
    (owner === undefined || (facts?.owner ?? lastOwner) === owner)
}

const shownTools = 20

export function toolsOf({ clientCalls = [], toolRuns = [] }: ExchangeFacts): readonly string[] {
  if (clientCalls.length + toolRuns.length === 0) return []
  return [...new Set([...clientCalls, ...toolRuns.map(({ name }) => name)])]
    .slice(0, shownTools)
    .map(name => clipText(name, 100))
}

// Both texts were written here, from these types.
export function readSummary(entry: Entry): TraceSummary {
  const { facts, record, place, views } = entry
  const answer = views['client-answer']
  const more = {
    ...clientOf(facts?.client ?? entry.client),
    ...place,
    ...(entry.prompt !== undefined && { prompt: entry.prompt }),
    ...(answer !== undefined && { answer_bytes: answer.size }),
    ...(entry.tools.length > 0 && { tools: entry.tools }),
  }
  if (facts !== undefined) return { ...recordOf(facts), ...more, state: 'running' }
  return { ...(JSON.parse(record) as ExchangeRecord), ...more, state: 'ended' }
}

function clientOf(client: string | undefined): Pick<TraceSummary, 'client'> {
  return client === undefined || client === '' ? {} : { client: maskedStart(client, 100, nameMasker) }
}

export function readTrace(
  entry: Entry,
  summary: TraceSummary,
  masker: Masker,
  detailFor: (facts: DetailFacts) => TraceDetail,
): Trace {
  const { facts = {}, detail } = entry
  const startedAt = entry.facts?.startedAt ?? entry.startedAt
  const views: { [name in ViewName]?: TraceView } = {}
  for (const name of viewNames) {
    const recorder = entry.views[name]
    if (recorder !== undefined) views[name] = viewOf(recorder, masker, startedAt)
  }
  return {
    summary,
    ...(detail === '' ? detailFor(facts) : (JSON.parse(detail) as TraceDetail)),
    views,
  }
}
