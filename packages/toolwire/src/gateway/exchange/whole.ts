/** Answers a request that does not want a stream. */

import { append } from '@toolwire/core/json'
import { noteAnswer } from '../../telemetry/observer.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, recordFailure } from '../errors.ts'
import { headerText } from '../http/headers.ts'
import type { JsonObject } from '../http/json-body.ts'
import { receiptHead, saveAnswer } from '../responses-api/save-response.ts'
import { needsAnotherRound, nextRound, recordServerCalls } from '../server-tools/run.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { requestUpstream } from '../upstream/request.ts'
import { canPassAnswer, collectAnswer, parseAnswer } from './collect-answer.ts'
import { conversionHeaders, lossesOf, wantsReport, withReport } from './loss-report.ts'
import { isRefusal, messageOf, readRefusal } from './refusal.ts'
import type { ExchangeRun } from './run.ts'
import type { Listener } from './streamed-rounds.ts'
import { streamRounds } from './streamed-rounds.ts'

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
      sendBytes(run, answer, bytes)
      if (!context.observation.isNoop) noteUnread(run, bytes)
      return
    }
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
      return sendBytes(run, answer, bytes)
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

/** Same wire, nothing to change: the client gets the upstream's bytes. */
function sendBytes(run: ExchangeRun, answer: UpstreamAnswer, bytes: Uint8Array): void {
  const { context } = run
  const { observation } = context
  const headers = {
    'content-type': headerText(answer.headers['content-type'] ?? 'application/json'),
    'content-length': String(bytes.byteLength),
    ...context.headers,
    ...conversionHeaders(run),
  }
  observation.facts.status = answer.status
  observation.facts.firstByteMs = context.gateway.clock.now() - observation.facts.startedAt
  if (observation.wantsViews) {
    observation.viewHead('client-answer', { line: String(answer.status), headers })
    observation.view('client-answer', bytes)
  }
  context.sink.head(answer.status, headers)
  context.sink.end(bytes)
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
