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

export async function requestFirst(run: ExchangeRun, body: string | Uint8Array): Promise<UpstreamAnswer> {
  const { compaction: plan, exchange, context } = run
  if (plan === undefined) return requestUpstream(run, body)
  const made = await makeSummary(run, plan)
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
async function makeSummary(run: ExchangeRun, { asked }: CompactionPlan): Promise<MadeCompaction> {
  const answer = await requestUpstream({ ...run, streamed: false }, asked)
  if (isRefusal(answer)) {
    const { kind, message, code, status, headers } = await readRefusal(run, answer)
    throw new GatewayError(kind, notCompacted(message), { code, status, headers })
  }
  const { made, error } = run.exchange.summaryOf(await readAnswer(run, answer))
  if (made !== undefined) return made
  const { message, code = 'compaction_failed' } = error
  throw new GatewayError('server', message, { code, status: 502 })
}

function notCompacted(message: string): string {
  return `The conversation was not compacted: ${message}`
}

/** Some upstreams stream whether or not the request wants it. */
async function readAnswer(run: ExchangeRun, answer: UpstreamAnswer): Promise<unknown> {
  const { upstream, context } = run
  const bytes = await collectAnswer(run, answer)
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
