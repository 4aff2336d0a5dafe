/** One exchange as one flat record: a line of the log, and an entry in the list of traces. */
import { clipText, createMasker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts } from './observer.ts'

/** The names and their order are stable, because programs read the log. Unknown values are left out. */
export interface ExchangeRecord {
  readonly time: string
  readonly id: string
  readonly route: string
  /** Method and path where no route is known: the path does not exist, or the request was refused earlier. */
  readonly target?: string | undefined
  readonly status?: number | undefined
  /** The name of the client's key, where it has one. */
  readonly tenant?: string | undefined
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
  /** Where the price is known. */
  readonly cost_usd?: number | undefined
  readonly finish?: string | undefined
  readonly response_id?: string | undefined
  /** Tool calls returned to the client. */
  readonly client_calls: number
  /** Tool calls that the gateway ran itself, and how many of them failed. */
  readonly tool_runs: number
  readonly tool_failures: number
  readonly losses: number
  readonly retries: number
  /** Upstreams that failed before another one was asked, and why. */
  readonly failed_upstreams?: string | undefined
  readonly rounds?: number | undefined
  readonly failure?: string | undefined
  readonly abandoned: boolean
}

const maxNameLength = 200
const masker = createMasker()

/** Names come from clients: they are clipped, and a key in the wrong field is still masked. */
export const maskedName = (text: string): string => maskedStart(text, maxNameLength, masker)
const nameOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : maskedName(text)

/** A target of full length was clipped by the gateway, possibly inside a key. */
const targetOf = (text: string): string =>
  text.length < maxNameLength
    ? maskedName(text)
    : clipText(masker.cutText(clipText(text, maxNameLength)), maxNameLength)

/** Always of the same shape, which is the fastest to create and serialize; JSON leaves out undefined values. */
export function recordOf(facts: ExchangeFacts): ExchangeRecord {
  const { usage, failure } = facts
  return {
    time: new Date(facts.at).toISOString(),
    id: facts.id,
    route: facts.route,
    target: isStray(facts) ? targetOf(facts.target) : undefined,
    status: facts.status,
    tenant: nameOf(facts.tenant),
    wire: facts.wire,
    upstream: nameOf(facts.upstream),
    upstream_wire: facts.upstreamWire,
    model: nameOf(facts.model),
    upstream_model: nameOf(facts.upstreamModel),
    streamed: facts.streamed,
    first_byte_ms: roundMs(facts.firstByteMs),
    total_ms: roundMs(facts.totalMs),
    overhead_ms: roundMs(facts.overheadMs),
    input_tokens: usage?.input,
    output_tokens: usage?.output,
    cache_read_tokens: usage?.cacheRead,
    reasoning_tokens: usage?.reasoning,
    cost_usd: roundedCost(facts.cost),
    finish: nameOf(facts.finish),
    response_id: nameOf(facts.responseId),
    client_calls: facts.clientCalls?.length ?? 0,
    tool_runs: facts.toolRuns?.length ?? 0,
    tool_failures: failuresOf(facts),
    losses: facts.losses?.length ?? 0,
    retries: facts.retries ?? 0,
    failed_upstreams: facts.failedUpstreams?.join(', '),
    rounds: facts.rounds,
    failure: nameOf(failure?.code),
    abandoned: facts.abandoned === true,
  }
}

export function failuresOf({ toolRuns }: ExchangeFacts): number {
  if (toolRuns === undefined) return 0
  let failures = 0
  for (const { status } of toolRuns) if (status !== 'ok') failures++
  return failures
}

/** A known route describes the path without its ids, so the target is needed only without one. */
function isStray(facts: ExchangeFacts): facts is ExchangeFacts & { readonly target: string } {
  return facts.route === 'unknown' && facts.target !== undefined
}

/** To millionths of a dollar. */
export function roundedCost(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : Math.round(cost * 1e6) / 1e6
}

/** To microseconds: the clock is not more precise. */
function roundMs(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000
}
