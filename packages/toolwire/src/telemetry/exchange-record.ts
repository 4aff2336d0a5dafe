/** One exchange in one flat record: what a line of the log says, and what a list of traces shows. */
import { clipText } from './clip-text.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts } from './observer.ts'

/** The names are a promise to whoever reads logs. What is not known is left out; the order is always this. */
export interface ExchangeRecord {
  readonly time: string
  readonly id: string
  readonly route: string
  /** What was asked for where no route is known: the path does not exist, or the request was refused before. */
  readonly target?: string | undefined
  readonly status?: number | undefined
  readonly wire?: string | undefined
  readonly upstream?: string | undefined
  readonly upstream_wire?: string | undefined
  readonly model?: string | undefined
  readonly upstream_model?: string | undefined
  readonly streamed?: boolean | undefined
  readonly first_byte_ms?: number | undefined
  readonly total_ms?: number | undefined
  readonly overhead_ms?: number | undefined
  readonly input_tokens?: number | undefined
  readonly output_tokens?: number | undefined
  readonly cache_read_tokens?: number | undefined
  readonly reasoning_tokens?: number | undefined
  readonly finish?: string | undefined
  readonly response_id?: string | undefined
  /** Calls given to the client. */
  readonly client_calls: number
  /** Calls the gateway ran itself, and how many of them did not end well. */
  readonly tool_runs: number
  readonly tool_failures: number
  readonly losses: number
  readonly retries: number
  readonly rounds?: number | undefined
  readonly failure?: string | undefined
  readonly abandoned: boolean
}

const longestName = 200
const masker = createMasker()

/** Names come from clients: they are cut, and a key in the wrong field stays a key. */
const maskedName = (text: string): string => maskedStart(text, longestName, masker)
const nameOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : maskedName(text)

/** It was cut where it came from, maybe within a key. */
const targetOf = (text: string): string =>
  text.length < longestName
    ? maskedName(text)
    : clipText(masker.cutText(clipText(text, longestName)), longestName)

/** Always of one shape, which costs the least to make and to write; JSON leaves out what is undefined. */
export function recordOf(facts: ExchangeFacts): ExchangeRecord {
  const { usage, failure } = facts
  return {
    time: new Date(facts.at).toISOString(),
    id: facts.id,
    route: facts.route,
    target: isStray(facts) ? targetOf(facts.target) : undefined,
    status: facts.status,
    wire: facts.wire,
    upstream: nameOf(facts.upstream),
    upstream_wire: facts.upstreamWire,
    model: nameOf(facts.model),
    upstream_model: nameOf(facts.upstreamModel),
    streamed: facts.streamed,
    first_byte_ms: round(facts.firstByteMs),
    total_ms: round(facts.totalMs),
    overhead_ms: round(facts.overheadMs),
    input_tokens: usage?.input,
    output_tokens: usage?.output,
    cache_read_tokens: usage?.cacheRead,
    reasoning_tokens: usage?.reasoning,
    finish: nameOf(facts.finish),
    response_id: nameOf(facts.responseId),
    client_calls: facts.clientCalls?.length ?? 0,
    tool_runs: facts.toolRuns?.length ?? 0,
    tool_failures: failuresOf(facts),
    losses: facts.losses?.length ?? 0,
    retries: facts.retries ?? 0,
    rounds: facts.rounds,
    failure: nameOf(failure?.code),
    abandoned: facts.abandoned === true,
  }
}

export type RecordText = (facts: ExchangeFacts) => string

/**
 * The record of an exchange that is over, as JSON. Those who watch together ask for it one after the other, so that
 * it is made once for all of them where they share this.
 */
export function createRecordText(): RecordText {
  let known: ExchangeFacts | undefined
  let text = ''
  return facts => {
    if (facts !== known) text = JSON.stringify(recordOf(facts))
    known = facts
    return text
  }
}

function failuresOf({ toolRuns = [] }: ExchangeFacts): number {
  let failures = 0
  for (const { status } of toolRuns) if (status !== 'ok') failures++
  return failures
}

/** A route says all that its path does, but for ids. */
function isStray(facts: ExchangeFacts): facts is ExchangeFacts & { readonly target: string } {
  return facts.route === 'unknown' && facts.target !== undefined
}

/** Microseconds are as fine as the clock is worth. */
function round(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000
}
