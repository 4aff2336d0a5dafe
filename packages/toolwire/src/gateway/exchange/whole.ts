/** Answers a request that does not want a stream. */

import type { ConvertedAnswer, ExchangeStream } from '@toolwire/core'
import { noteAnswer } from '../../telemetry/observer.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, recordFailure } from '../errors.ts'
import { headerText } from '../http/headers.ts'
import type { JsonObject } from '../http/json-body.ts'
import { receiptHead, saveAnswer } from '../responses-api/save-response.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { requestUpstream } from '../upstream/request.ts'
import { canPassAnswer, collectAnswer, parseAnswer } from './collect-answer.ts'
import { claimIds, claimUnreadIds } from './held-ids.ts'
import { conversionHeaders, lossesOf, wantsReport, withReport } from './loss-report.ts'
import { isRefusal, messageOf, readRefusal } from './refusal.ts'
import type { Listener } from './relay-round.ts'
import type { ExchangeRun } from './run.ts'
import type { ServerAnswer } from './upstream-rounds.ts'
import { roundOf, UpstreamRounds } from './upstream-rounds.ts'

type OnRefusal = (error: JsonObject) => Promise<void>

/** `onRefusal` gets a refusal instead of the client, where no client waits. */
export async function answerWhole(
  run: ExchangeRun,
  body: string | Uint8Array,
  onRefusal?: OnRefusal,
): Promise<void> {
  const rounds = new WholeRounds(run, discard, () => requestUpstream(run, body))
  rounds.onRefusal = onRefusal
  if ((await rounds.drive()) === 'stopped') return
  if (rounds.stream !== undefined) await sendFolded(run, rounds.stream)
  else if (rounds.last !== undefined) await sendAnswer(run, rounds.last)
}

interface WholeAnswer {
  readonly answer: UpstreamAnswer
  readonly bytes: Buffer
  readonly converted: ConvertedAnswer
}

/** Some upstreams stream whether or not the request wants it: from then on all answers are folded in the stream. */
class WholeRounds extends UpstreamRounds {
  onRefusal: OnRefusal | undefined
  last: WholeAnswer | undefined

  override async request(round: number): Promise<ServerAnswer | undefined> {
    const { exchangeRun: run } = this
    const { context, exchange, upstream } = run
    const answer = await this.open(round)
    if (isRefusal(answer)) return this.refuse(answer)
    if (this.stream !== undefined || upstream.isStream(answer.headers['content-type']))
      return this.relay(answer)
    const bytes = await collectAnswer(run, answer)
    if (
      run.passes &&
      canPassAnswer(answer, bytes, upstream.errorMark) &&
      !wantsReport(context.request.headers)
    ) {
      await claimUnreadIds(run, bytes)
      sendBytes(run, answer, bytes)
      if (!context.observation.isNoop) noteUnread(run, bytes)
      return undefined
    }
    const converted = exchange.response(parseAnswer(run, bytes))
    run.diagnostics.push(...converted.diagnostics)
    this.last = { answer, bytes, converted }
    return roundOf(converted)
  }

  protected override async refuse(answer: UpstreamAnswer): Promise<undefined> {
    if (this.onRefusal === undefined) return super.refuse(answer)
    const { code, message } = await readRefusal(this.exchangeRun, answer)
    await this.onRefusal({ code, message })
  }
}

async function sendAnswer(run: ExchangeRun, { answer, bytes, converted }: WholeAnswer): Promise<void> {
  const { context } = run
  const { facts } = context.observation
  noteAnswer(facts, converted)
  if (converted.status >= 400) {
    facts.failure = { code: 'upstream_error', message: messageOf(converted.value, run.wire) }
  } else if (run.passes && !wantsReport(context.request.headers)) {
    await claimIds(run, converted.value)
    return sendBytes(run, answer, bytes)
  }
  return sendWhole(run, converted.value, converted.status)
}

async function sendFolded(run: ExchangeRun, stream: ExchangeStream): Promise<void> {
  const { context, upstream, diagnostics } = run
  diagnostics.push(...stream.diagnostics)
  noteAnswer(context.observation.facts, stream)
  const { answer, failure } = stream
  if (failure === undefined && answer !== undefined) return sendWhole(run, answer, 200)
  const message = failure ?? `The answer of upstream "${upstream.name}" has no end.`
  throw new GatewayError('server', message, { code: 'upstream_cut', status: 502 })
}

/** Records for observers what an answer held that has gone to the client unread. */
function noteUnread(run: ExchangeRun, bytes: Buffer): void {
  const { facts } = run.context.observation
  try {
    noteAnswer(facts, run.exchange.summary(parseAnswer(run, bytes)))
  } catch (error) {
    const failure = asGatewayError(error)
    // Without the memory to look into it, it is still a good answer.
    if (failure.kind !== 'overloaded' && failure.kind !== 'rate_limit') recordFailure(facts, failure)
  }
}

async function sendWhole(run: ExchangeRun, answer: JsonObject, status: number): Promise<void> {
  const { context, diagnostics } = run
  const value = run.body.background === true ? { ...answer, ...receiptHead(run) } : answer
  await claimIds(run, value)
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

/** The events of a stream are not needed; the client gets the answer when it is complete. */
const discard: Listener = { begun: false, write: () => true, onDrain: () => {} }
