/** Answers a request that wants its answer in one piece. */

import { noteAnswer } from '../../telemetry/observer.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { headerText } from '../http/header-text.ts'
import type { JsonObject } from '../http/json-body.ts'
import { asGatewayError, noteFailure } from '../send-error.ts'
import { goesOn, nextRound, rememberHidden } from '../server-tools/run.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { isRefusal, messageOf, readRefusal } from '../upstream/refusal.ts'
import { collectAnswer, parseAnswer } from './collect-answer.ts'
import { lossesOf, wantsReport, withReport } from './loss-report.ts'
import { looksPlain } from './passthrough.ts'
import type { ExchangeRun } from './run.ts'
import { ask, conversionHeaders, isEventStream, keep, receiptHead } from './run.ts'
import type { Listener } from './streamed-rounds.ts'
import { streamRounds } from './streamed-rounds.ts'

/** `onRefusal` hears of a refusal instead of the client, where no client waits. */
export async function answerWhole(
  run: ExchangeRun,
  first: string | Uint8Array,
  onRefusal?: (error: JsonObject) => Promise<void>,
): Promise<void> {
  const { visit, exchange, diagnostics } = run
  const { facts } = visit.observation
  let asked = first
  for (let round = 1; ; round++) {
    facts.rounds = round
    const answer = await ask(run, asked)
    if (isRefusal(answer)) {
      const { value, status, headers, message } = await readRefusal(run, answer)
      if (onRefusal !== undefined) return onRefusal({ code: `upstream_${answer.status}`, message })
      return sendJson(visit, status, value, { ...conversionHeaders(run), ...headers })
    }
    if (isEventStream(answer)) return sendWhole(run, await foldStream(run, answer), 200)
    const bytes = await collectAnswer(run, answer)
    if (run.passes && looksPlain(answer, bytes) && !wantsReport(visit.request.headers)) {
      sendBytes(run, answer, bytes)
      if (!visit.observation.isBlind) noteUnread(run, bytes)
      return
    }
    const converted = exchange.response(parseAnswer(run, bytes))
    diagnostics.push(...converted.diagnostics)
    const { held, calls } = converted
    const body = goesOn({ held, calls }) ? await nextRound(run, held, round) : undefined
    if (body !== undefined) {
      asked = body
      continue
    }
    if (calls.length > 0) await rememberHidden(run, held)
    noteAnswer(facts, converted)
    if (converted.status >= 400) {
      facts.failure = { code: 'upstream_error', message: messageOf(converted.value) }
    } else if (run.passes && !wantsReport(visit.request.headers)) {
      return sendBytes(run, answer, bytes)
    }
    return sendWhole(run, converted.value, converted.status)
  }
}

/** Of an answer that has gone to the client unread: what is told to whoever watches. */
function noteUnread(run: ExchangeRun, bytes: Buffer): void {
  const { facts } = run.visit.observation
  try {
    noteAnswer(facts, run.exchange.summary(parseAnswer(run, bytes)))
  } catch (error) {
    noteFailure(facts, asGatewayError(error))
  }
}

async function sendWhole(run: ExchangeRun, answer: JsonObject, status: number): Promise<void> {
  const { visit, diagnostics } = run
  const value = run.body.background === true ? { ...answer, ...receiptHead(run) } : answer
  await keep(run, value)
  const losses = lossesOf(diagnostics)
  const body = wantsReport(visit.request.headers) ? withReport(value, losses) : value
  visit.observation.facts.firstByteMs = visit.core.clock.now() - visit.observation.facts.startedAt
  sendJson(visit, status, body, conversionHeaders(run))
}

/** Same wire, nothing to change: the client gets the very bytes. */
function sendBytes(run: ExchangeRun, answer: UpstreamAnswer, bytes: Uint8Array): void {
  const { visit } = run
  const { observation } = visit
  const headers = {
    'content-type': headerText(answer.headers['content-type'] ?? 'application/json'),
    'content-length': String(bytes.byteLength),
    ...visit.headers,
    ...conversionHeaders(run),
  }
  observation.facts.status = answer.status
  observation.facts.firstByteMs = visit.core.clock.now() - observation.facts.startedAt
  if (observation.wantsViews) {
    observation.viewHead('client-answer', { line: String(answer.status), headers })
    observation.view('client-answer', bytes)
  }
  visit.sink.head(answer.status, headers)
  visit.sink.end(bytes)
}

/** Some upstreams stream whether asked to or not. */
async function foldStream(run: ExchangeRun, answer: UpstreamAnswer): Promise<JsonObject> {
  const { visit, exchange, upstream, diagnostics } = run
  const stream = exchange.stream()
  await streamRounds(run, stream, nobody, async () => answer)
  diagnostics.push(...stream.diagnostics)
  const { failure } = stream
  noteAnswer(visit.observation.facts, stream)
  if (failure === undefined && stream.answer !== undefined) return stream.answer
  const message = failure ?? `The answer of upstream "${upstream.name}" has no end.`
  throw new GatewayError('server', message, { code: 'upstream_cut', status: 502 })
}

/** Nobody listens; the answer is taken when it is over. */
const nobody: Listener = { begun: true, write: () => true, onDrain: () => {} }
