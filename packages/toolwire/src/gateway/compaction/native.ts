/**
 * Summaries by an upstream of the client's own wire. Whether a server that nobody knows makes any shows when it is asked;
 * if it does not, the request is repeated with a summary that is made here. A summary of another server that it cannot
 * read becomes a note, so that the conversation goes on.
 */
import type { CompactionDemand, ConvertedAnswer, NativeCompaction, WireDefinition } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { WireJob } from '@toolwire/core/wires'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { isRefusal } from '../exchange/refusal.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import { conversationIdOf } from '../responses-api/state.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { collectBody } from '../upstream/read-body.ts'
import { requestUpstream } from '../upstream/request.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { FoundState } from '../workers/protocol.ts'
import { windowDemand } from './window.ts'

/** The upstream makes no such summary, or cannot read one. Nothing has reached the client. */
class SummaryRefused extends GatewayError {
  /** Of the upstream, where it shows that it makes none at all. */
  readonly summaries: ServedUpstream['summaries'] | undefined

  constructor(summaries?: ServedUpstream['summaries']) {
    super('server', 'The upstream does not compact this conversation.', { code: 'compaction_failed' })
    this.summaries = summaries
  }
}

/** Where a request goes. */
interface Target {
  readonly endpoint: { readonly wire: WireDefinition; readonly job: WireJob }
  readonly destination: Destination
  /** The upstream has refused a summary. */
  readonly compactsHere?: boolean | undefined
}

/** The upstream as one that makes no summaries and reads none. */
function withoutSummaries(upstream: ServedUpstream): ServedUpstream {
  const { exchangeOptions } = upstream
  const profile = { ...exchangeOptions.same.profile, compacts: false }
  const same = { ...exchangeOptions.same, profile }
  return { ...upstream, compacts: false, exchangeOptions: { ...exchangeOptions, same } }
}

/** The upstream, after what it has shown so far. */
export function asFarAsKnown({
  destination,
  compactsHere,
}: Pick<Target, 'destination' | 'compactsHere'>): ServedUpstream {
  const { upstream } = destination
  const isRefusing = compactsHere === true || upstream.summaries.isRefused
  return isRefusing && upstream.compacts ? withoutSummaries(upstream) : upstream
}

/** What of a request is to be watched, because it may have to be repeated. */
export function watchedOf(
  { endpoint, destination: { upstream }, compactsHere }: Target,
  found: NativeCompaction | undefined,
): NativeCompaction | undefined {
  if (compactsHere === true || upstream.wire !== endpoint.wire || !upstream.compacts) return undefined
  return endpoint.job === 'compact' ? { hasItems: found?.hasItems ?? false, demand: windowDemand } : found
}

/** Runs a request, and once more with a summary that is made here if the upstream refuses one. */
export async function orCompactHere(
  { observation: { facts } }: RequestContext,
  ask: (compactsHere: boolean) => Promise<void>,
): Promise<void> {
  try {
    await ask(false)
  } catch (error) {
    if (!(error instanceof SummaryRefused)) throw error
    await ask(true)
    // Had the request failed for another reason, it would have failed again.
    if (error.summaries !== undefined && (facts.status ?? 500) < 400) error.summaries.isRefused = true
  }
}

/** What only the upstream has, nobody else can summarise. */
export function refuseHeldHistory(
  { isAlone }: Pick<CompactionDemand, 'isAlone'>,
  body: JsonObject,
  found: FoundState | undefined,
  { name }: ServedUpstream,
): void {
  const held = found === undefined ? (body.previous_response_id ?? conversationIdOf(body)) : found.heldId
  if (!isAlone || typeof held !== 'string') return
  throw new GatewayError(
    'invalid_request',
    `Upstream "${name}" makes no summaries, and what this request continues is stored there. Send the whole conversation instead, or set the upstream's "state" to "gateway".`,
    { code: 'compaction_failed', status: 400 },
  )
}

/** The statuses of servers that do not know what they are asked. */
const refusing: ReadonlySet<number> = new Set([400, 404, 405, 422, 501])
/** What servers call a summary that is not theirs, or of a kind that they do not know. */
const ofSummaries = /compact|encrypt|signature/i
const longestError = 1024 * 1024

export async function requestWatched(
  run: ExchangeRun,
  { demand, hasItems }: NativeCompaction,
  body: string | Uint8Array,
): Promise<UpstreamAnswer> {
  const { summaries } = run.upstream
  const answer = await requestUpstream(run, body)
  const isUnsure = demand !== undefined && !summaries.isSure
  if (isRefusal(answer)) {
    if (!refusing.has(answer.status) || !(isUnsure || hasItems)) return answer
    const bytes = await collect(run, answer, longestError)
    if (isUnsure || ofSummaries.test(bytes.toString()))
      throw new SummaryRefused(isUnsure ? summaries : undefined)
    return repeated(answer, bytes)
  }
  if (!isUnsure || !demand.isAlone) return answer
  const bytes = await collect(run, answer, run.context.gateway.limits.answerBytes)
  const isMade = holdsSummary(run, answer, bytes)
  if (isMade === false) throw new SummaryRefused(summaries)
  if (isMade) summaries.isSure = true
  return repeated(answer, bytes)
}

/** An answer to a request with a threshold shows whether the upstream heeds it. */
export function judgeAnswer({ watched, upstream, diagnostics }: ExchangeRun, answer: JudgedAnswer): void {
  const { threshold, path = [] } = watched?.demand ?? {}
  const { summaries } = upstream
  if (threshold === undefined || summaries.isSure) return
  const { input = 0 } = answer.usage ?? {}
  if (answer.isCompacted) summaries.isSure = true
  else if (input >= threshold) {
    summaries.isRefused = true
    diagnostics.push({
      code: 'compaction_ignored',
      severity: 'warning',
      path: [...path],
      message: `The upstream answered to ${input} tokens without the summary that is wanted from ${threshold} on. From now on summaries for it are made here.`,
    })
  }
}

export type JudgedAnswer = Pick<ConvertedAnswer, 'isCompacted'> & {
  readonly usage?: ConvertedAnswer['usage'] | undefined
}

/** `undefined` for an answer that cannot be read, which is for others to report. */
function holdsSummary(run: ExchangeRun, answer: UpstreamAnswer, bytes: Buffer): boolean | undefined {
  const { upstream, context } = run
  const exchange = createExchange({ from: upstream.wire, to: upstream.wire, parsed: true })
  if (!upstream.isStream(answer.headers['content-type'])) {
    try {
      const { isCompacted } = exchange.summary(
        parseAnswer(bytes, upstream.name, context.gateway.limits, context.memory),
      )
      return isCompacted
    } catch {
      return undefined
    }
  }
  const stream = exchange.stream()
  stream.push(bytes)
  stream.end()
  return stream.failure === undefined ? stream.isCompacted : undefined
}

function collect(run: ExchangeRun, answer: UpstreamAnswer, limit: number): Promise<Buffer> {
  const { context, upstream, stopwatch } = run
  const { gateway, signal, memory } = context
  return stopwatch.wait(
    collectBody({
      answer,
      limit,
      clock: gateway.clock,
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
      reserve: bytes => memory.take(2 * bytes, 'answer'),
    }),
  )
}

/** The answer once more, from its beginning. */
function repeated({ status, headers }: UpstreamAnswer, bytes: Buffer): UpstreamAnswer {
  return {
    status,
    headers,
    read(reader) {
      reader.data(bytes)
      reader.end()
    },
    pause() {},
    resume() {},
    abort() {},
  }
}
