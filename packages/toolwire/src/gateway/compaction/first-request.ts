/** The first request to the upstream, before which a summary may have to be made. */
import type { MadeCompaction } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { GatewayError } from '../errors.ts'
import { collectAnswer } from '../exchange/collect-answer.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { isRefusal, readRefusal } from '../exchange/refusal.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { textBytes } from '../http/byte-budget.ts'
import { asBuffer } from '../http/bytes.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { requestUpstream } from '../upstream/request.ts'
import type { CompactionPlan } from '../workers/protocol.ts'
import { requestWatched } from './native.ts'

/**
 * `onLong` is called while a summary is being made, if that takes longer than a client should wait for a sign. Until then
 * a refusal of the upstream keeps its status.
 */
export async function requestFirst(
  run: ExchangeRun,
  body: string | Uint8Array,
  onLong?: () => void,
): Promise<UpstreamAnswer> {
  const { compaction: plan, exchange, context } = run
  if (plan === undefined)
    return run.watched === undefined ? requestUpstream(run, body) : requestWatched(run, run.watched, body)
  const made = await makeSummary(run, plan, onLong)
  context.memory.take(textBytes(body.length + made.summary.length), 'request')
  exchange.answerWith(plan.demand, made)
  plan.summary = made.summary
  return requestNext(run, body)
}

/** Any request after the summary is made. */
export function requestNext(run: ExchangeRun, body: string | Uint8Array): Promise<UpstreamAnswer> {
  const { compaction: plan } = run
  return requestUpstream(run, plan?.summary === undefined ? body : withSummary(body, plan, plan.summary))
}

/** The same key, model, limits and retries as for the request itself. */
async function makeSummary(
  run: ExchangeRun,
  { asked }: CompactionPlan,
  onLong: (() => void) | undefined,
): Promise<MadeCompaction> {
  const { clock, heartbeatMs } = run.context.gateway
  const answer = await requestUpstream(run, asked)
  if (isRefusal(answer)) {
    const { kind, message, code, status, headers } = await readRefusal(run, answer)
    throw new GatewayError(kind, notCompacted(message), { code, status, headers })
  }
  const cancel = onLong !== undefined && heartbeatMs > 0 ? clock.after(heartbeatMs, onLong) : () => {}
  const read = await readAnswer(run, answer).finally(cancel)
  const { made, error } = run.exchange.summaryOf(read)
  if (made !== undefined) return made
  const { message, code = 'compaction_failed' } = error
  throw new GatewayError('server', message, { code, status: 502 })
}

function notCompacted(message: string): string {
  return `The conversation was not compacted: ${message}`
}

/** A summary is a few pages. A model that does not stop is stopped here, because nobody reads along. */
const longestSummary = 1024 * 1024

/** Some upstreams stream whether or not the request wants it. */
async function readAnswer(run: ExchangeRun, answer: UpstreamAnswer): Promise<unknown> {
  const { upstream, context } = run
  const bytes = await collectAnswer(run, answer, longestSummary)
  if (!upstream.isStream(answer.headers['content-type'])) {
    return parseAnswer(bytes, upstream.name, context.gateway.limits, context.memory)
  }
  const stream = createExchange({ from: upstream.wire, to: upstream.wire }).stream({ holdEnd: true })
  stream.push(bytes)
  stream.end()
  if (stream.failure === undefined && stream.answer !== undefined) return stream.answer
  throw new GatewayError('server', notCompacted(stream.failure ?? 'the summary has no end.'), {
    code: 'upstream_cut',
    status: 502,
  })
}

function withSummary(
  body: string | Uint8Array,
  { placeholder }: CompactionPlan,
  summary: string,
): string | Uint8Array {
  const text = JSON.stringify(summary).slice(1, -1)
  if (typeof body === 'string') {
    const at = body.indexOf(placeholder)
    return at === -1 ? body : body.slice(0, at) + text + body.slice(at + placeholder.length)
  }
  const bytes = asBuffer(body)
  const at = bytes.indexOf(placeholder)
  if (at === -1) return body
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at + placeholder.length)])
}
