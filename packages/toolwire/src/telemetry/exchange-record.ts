/** One exchange in one flat record: what a line of the log says, and what a list of traces shows. */
import type { Wire } from '@toolwire/core'
import type { ExchangeFacts } from '../gateway/observation.ts'
import { clipText } from './clip-text.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'

/** The names are a promise to whoever reads logs. What is not known is left out; the order is always this. */
export interface ExchangeRecord {
  readonly time: string
  readonly id: string
  readonly route: string
  /** What was asked for where no route is known: the path does not exist, or the request was refused before. */
  readonly target?: string
  readonly status?: number
  readonly wire?: Wire
  readonly upstream?: string
  readonly upstream_wire?: Wire
  readonly model?: string
  readonly upstream_model?: string
  readonly streamed?: boolean
  readonly first_byte_ms?: number
  readonly total_ms?: number
  readonly overhead_ms?: number
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_tokens?: number
  readonly reasoning_tokens?: number
  readonly finish?: string
  readonly response_id?: string
  /** Calls given to the client. */
  readonly client_calls: number
  /** Calls the gateway ran itself, and how many of them did not end well. */
  readonly tool_runs: number
  readonly tool_failures: number
  readonly losses: number
  readonly retries: number
  readonly rounds?: number
  readonly failure?: string
  readonly abandoned: boolean
}

const longestName = 200
const masker = createMasker()

/** Names come from clients: they are cut, and a key in the wrong field stays a key. */
const nameOf = (text: string): string => maskedStart(text, longestName, masker)

/** It was cut where it came from, maybe within a key. */
const targetOf = (text: string): string =>
  text.length < longestName
    ? nameOf(text)
    : clipText(masker.cutText(clipText(text, longestName)), longestName)

export function recordOf(facts: ExchangeFacts): ExchangeRecord {
  const { wire, upstream, upstreamWire, model, upstreamModel, streamed, status, usage, toolRuns = [] } = facts
  const { firstByteMs, totalMs, overheadMs, finish, responseId, rounds, failure } = facts
  return {
    time: new Date(facts.at).toISOString(),
    id: facts.id,
    route: facts.route,
    ...(isStray(facts) && { target: targetOf(facts.target) }),
    ...(status !== undefined && { status }),
    ...(wire !== undefined && { wire }),
    ...(upstream !== undefined && { upstream: nameOf(upstream) }),
    ...(upstreamWire !== undefined && { upstream_wire: upstreamWire }),
    ...(model !== undefined && { model: nameOf(model) }),
    ...(upstreamModel !== undefined && { upstream_model: nameOf(upstreamModel) }),
    ...(streamed !== undefined && { streamed }),
    ...(firstByteMs !== undefined && { first_byte_ms: round(firstByteMs) }),
    ...(totalMs !== undefined && { total_ms: round(totalMs) }),
    ...(overheadMs !== undefined && { overhead_ms: round(overheadMs) }),
    ...(usage !== undefined && { input_tokens: usage.input, output_tokens: usage.output }),
    ...(usage?.cacheRead !== undefined && { cache_read_tokens: usage.cacheRead }),
    ...(usage?.reasoning !== undefined && { reasoning_tokens: usage.reasoning }),
    ...(finish !== undefined && { finish: nameOf(finish) }),
    ...(responseId !== undefined && { response_id: nameOf(responseId) }),
    client_calls: facts.clientCalls?.length ?? 0,
    tool_runs: toolRuns.length,
    tool_failures: toolRuns.filter(run => run.status !== 'ok').length,
    losses: facts.losses?.length ?? 0,
    retries: facts.retries ?? 0,
    ...(rounds !== undefined && { rounds }),
    ...(failure !== undefined && { failure: nameOf(failure.code) }),
    abandoned: facts.abandoned === true,
  }
}

/** A route says all that its path does, but for ids. */
function isStray(facts: ExchangeFacts): facts is ExchangeFacts & { readonly target: string } {
  return facts.route === 'unknown' && facts.target !== undefined
}

/** Microseconds are as fine as the clock is worth. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
