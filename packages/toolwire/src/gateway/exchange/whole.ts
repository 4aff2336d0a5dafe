/** Answers a request that does not want a stream. */

import { append } from '@toolwire/core/json'
import { noteAnswer } from '../../telemetry/observer.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, recordFailure } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { receiptHead, saveAnswer } from '../responses-api/save-response.ts'
import { needsAnotherRound, nextRound, recordServerCalls } from '../server-tools/run.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { requestUpstream } from '../upstream/request.ts'
import { canPassAnswer, collectAnswer } from './collect-answer.ts'
import { conversionHeaders, lossesOf, wantsReport, withReport } from './loss-report.ts'
import { parseAnswer } from './parse-answer.ts'
import { isRefusal, readRefusal } from './refusal.ts'
import { messageOf } from './refusal-message.ts'
import type { ExchangeRun } from './run.ts'
import { sendBytes } from './send-bytes.ts'
import type { Listener } from './streamed-rounds.ts'
import { streamRounds } from './streamed-rounds.ts'
import { answerLarge, workersForAnswer } from './whole-large.ts'

/** `onRefusal` gets a refusal instead of the client, where no client waits. */
export async function answerWhole(
  run: ExchangeRun,
  first: string | Uint8Array,
  onRefusal?: (error: JsonObject) => Promise<void>,
): Promise<void> {
  const { context, exchange, diagnostics, upstream } = run
  const { facts } = context.observation
  let sent = first
  for (let round = 1; ; round++) {
    facts.rounds = round
    const answer = await requestUpstream(run, sent)
    if (isRefusal(answer)) {
      const { value, status, headers, message } = await readRefusal(run, answer)
      if (onRefusal !== undefined) return onRefusal({ code: `upstream_${answer.status}`, message })
      return sendJson(context, status, value, { ...conversionHeaders(run), ...headers })
    }
    if (upstream.isStream(answer.headers['content-type']))
      return sendWhole(run, await foldStream(run, answer), 200)
    const bytes = await collectAnswer(run, answer)
    if (
      run.passes &&
      canPassAnswer(answer, bytes, upstream.errorMark) &&
      !wantsReport(context.request.headers)
    ) {
      sendBytes(run, answer.status, bytes, answer.headers['content-type'])
      if (!context.observation.isNoop) noteUnread(run, bytes)
      return
    }
    const workers = workersForAnswer(run, bytes)
    if (workers !== undefined) return answerLarge(run, answer, bytes, workers)
    const converted = exchange.response(parseAnswer(bytes, upstream.name, context.gateway.limits))
    append(diagnostics, converted.diagnostics)
    const { serverCalls, calls } = converted
    const body = needsAnotherRound({ serverCalls, calls })
      ? await nextRound(run, serverCalls, round)
      : undefined
    if (body !== undefined) {
      sent = body
      continue
    }
    if (calls.length > 0) await recordServerCalls(run, serverCalls)
    noteAnswer(facts, converted)
    if (converted.status >= 400) {
      facts.failure = { code: 'upstream_error', message: messageOf(converted.value, run.wire) }
    } else if (run.passes && !wantsReport(context.request.headers)) {
      return sendBytes(run, answer.status, bytes, answer.headers['content-type'])
    }
    return sendWhole(run, converted.value, converted.status)
  }
}

/** A longer answer is not parsed only to be noted. */
const longestNoted = 1024 * 1024

/** Records for observers what an answer held that has gone to the client unread. */
function noteUnread(run: ExchangeRun, bytes: Buffer): void {
  const { upstream, exchange, context } = run
  const { facts } = context.observation
  const { depth, inlineNodes: nodes } = context.gateway.limits
  if (bytes.length > longestNoted) return
  try {
    noteAnswer(facts, exchange.summary(parseAnswer(bytes, upstream.name, { depth, nodes })))
  } catch (error) {
    recordFailure(facts, asGatewayError(error))
  }
}

async function sendWhole(run: ExchangeRun, answer: JsonObject, status: number): Promise<void> {
  const { context, diagnostics } = run
  const value = run.body.background === true ? { ...answer, ...receiptHead(run) } : answer
  await saveAnswer(run, value)
  const losses = lossesOf(diagnostics)
  const body = wantsReport(context.request.headers) ? withReport(value, losses) : value
  context.observation.facts.firstByteMs = context.gateway.clock.now() - context.observation.facts.startedAt
  sendJson(context, status, body, conversionHeaders(run))
}

/** Some upstreams stream whether or not the request wants it. */
async function foldStream(run: ExchangeRun, answer: UpstreamAnswer): Promise<JsonObject> {
  const { context, exchange, upstream, diagnostics } = run
  const stream = exchange.stream()
  await streamRounds(run, stream, discard, async () => answer)
  append(diagnostics, stream.diagnostics)
  const { failure } = stream
  noteAnswer(context.observation.facts, stream)
  if (failure === undefined && stream.answer !== undefined) return stream.answer
  const message = failure ?? `The answer of upstream "${upstream.name}" has no end.`
  throw new GatewayError('server', message, { code: 'upstream_cut', status: 502 })
}

/** The events are not needed; the answer is taken when it is complete. */
const discard: Listener = { begun: true, write: () => true, onDrain: () => {} }
