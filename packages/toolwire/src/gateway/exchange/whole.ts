/** Answers a request that does not want a stream. */

import type { ConvertedAnswer, Exchange, ExchangeStream } from '@toolwire/core'
import { append, isObject, parseJson } from '@toolwire/core/json'
import { type ExchangeFacts, noteAnswer } from '../../telemetry/observer.ts'
import { type JudgedAnswer, judgeAnswer } from '../compaction/native.ts'
import { windowAnswer } from '../compaction/window.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, recordFailure } from '../errors.ts'
import { type ByteBudget, Holding } from '../http/byte-budget.ts'
import type { JsonObject } from '../http/json-body.ts'
import { backgroundHead, mayBeContinued, saveAnswer } from '../responses-api/save-response.ts'
import { keepReasoning } from '../sealing/kept-reasoning.ts'
import type { Limits } from '../settings.ts'
import { rememberUpstream } from '../upstream/affinity.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { loopLimits } from '../workers/loop-limits.ts'
import { canPassAnswer, collectAnswer } from './collect-answer.ts'
import { claimIds, claimUnreadIds } from './held-ids.ts'
import { conversionHeaders, lossesOf, wantsReport, withReport } from './loss-report.ts'
import { parseAnswer, parseOnLoop } from './parse-answer.ts'
import { isRefusal, readRefusal } from './refusal.ts'
import { messageOf } from './refusal-message.ts'
import type { Listener } from './relay-round.ts'
import type { ExchangeRun } from './run.ts'
import { sendBytes } from './send-bytes.ts'
import type { ServerAnswer } from './upstream-rounds.ts'
import { roundOf, UpstreamRounds } from './upstream-rounds.ts'
import { answerLarge, workersForAnswer } from './whole-large.ts'

type OnRefusal = (error: JsonObject) => Promise<void>

/** `onRefusal` gets a refusal instead of the client, where no client waits. */
export async function answerWhole(
  run: ExchangeRun,
  open: () => Promise<UpstreamAnswer>,
  onRefusal?: OnRefusal,
): Promise<void> {
  const rounds = new WholeRounds(run, discard, open)
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
    const workers = workersForAnswer(run, bytes)
    if (
      run.passes &&
      (run.heldIds === undefined || workers === undefined) &&
      canPassAnswer(answer, bytes, upstream.errorMark) &&
      !wantsReport(context.request.headers)
    ) {
      if (run.heldIds !== undefined) await claimUnreadIds(run, bytes)
      sendBytes(run, answer.status, bytes, answer.headers['content-type'])
      noteLater(run, bytes)
      return undefined
    }
    if (workers !== undefined) {
      await answerLarge(run, answer, bytes, workers)
      return undefined
    }
    const converted = exchange.response(
      parseOnLoop(bytes, run.upstream.name, loopLimits(run.context.gateway), run.context.memory),
    )
    append(run.diagnostics, converted.diagnostics)
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
  judgeAnswer(run, converted)
  if (converted.status >= 400) {
    facts.failure = { code: 'upstream_error', message: messageOf(converted.value, run.wire) }
  } else if (run.passes && !wantsReport(context.request.headers)) {
    if (run.heldIds !== undefined) await claimIds(run, converted.value)
    if (run.isShared) await rememberUpstream(run, converted.value)
    return sendBytes(run, answer.status, bytes, answer.headers['content-type'])
  }
  if (converted.kept !== undefined) await keepReasoning(run, converted.kept)
  return sendWhole(run, converted.value, converted.status)
}

async function sendFolded(run: ExchangeRun, stream: ExchangeStream): Promise<void> {
  const { context, upstream, diagnostics } = run
  append(diagnostics, stream.diagnostics)
  noteAnswer(context.observation.facts, stream)
  judgeAnswer(run, stream)
  const { answer, failure } = stream
  if (failure === undefined && answer !== undefined) {
    await keepReasoning(run, stream.kept)
    return sendWhole(run, answer, 200)
  }
  const message = failure ?? `The answer of upstream "${upstream.name}" has no end.`
  throw new GatewayError('server', message, { code: 'upstream_cut', status: 502 })
}

/** A longer answer is not parsed only to be noted. */
const longestNoted = 1024 * 1024
/** A longer one is counted before it is parsed. */
const longestPlain = 16 * 1024
/** An exchange that has taken more memory is noted at once, because it is kept until then, with its request. */
const mostKept = 256 * 1024

/** What is needed to note an answer. */
interface UnreadAnswer {
  readonly bytes: Buffer
  readonly exchange: Exchange
  readonly upstream: ServedUpstream
  readonly facts: ExchangeFacts
  readonly limits: Limits
}

function noteLater(run: ExchangeRun, bytes: Buffer): void {
  const { exchange, upstream, watched, context } = run
  const { gateway, observation, charge, memory, share } = context
  const isAwaited = charge !== undefined || watched !== undefined
  if ((observation.isNoop === true && !isAwaited) || bytes.length > longestNoted) return
  const unread = { bytes, exchange, upstream, facts: observation.facts, limits: gateway.limits }
  const isLong = bytes.length > longestPlain || memory.bytes > mostKept
  if (observation.later === undefined || isAwaited || isLong) {
    const answer = noteUnread(unread, memory)
    if (answer !== undefined) judgeAnswer(run, answer)
  } else observation.later(laterNote(unread, gateway.memory, share))
}

/** The memory of the request has been given back by then. */
function laterNote(unread: UnreadAnswer, memory: ByteBudget, share: string): () => void {
  return () => {
    const own = new Holding(memory, share)
    noteUnread(unread, own)
    own.release()
  }
}

/** Records for observers what an answer held that has gone to the client unread. */
function noteUnread(
  { bytes, exchange, upstream, facts, limits }: UnreadAnswer,
  memory: Holding,
): JudgedAnswer | undefined {
  const { depth, inlineNodes: nodes } = limits
  const value = bytes.length > longestPlain ? undefined : parseJson(bytes.toString())
  const plain = isObject(value) ? upstream.wire.service.summarizeAnswer?.(value) : undefined
  if (plain !== undefined) {
    noteAnswer(facts, plain)
    // A plain answer has nothing in it but texts, reasoning and calls.
    return { usage: plain.usage, isCompacted: false }
  }
  try {
    const summary = exchange.summary(parseAnswer(bytes, upstream.name, { depth, nodes }, memory))
    noteAnswer(facts, summary)
    return summary
  } catch (error) {
    const failure = asGatewayError(error)
    // Without the memory to look into it, it is still a good answer.
    if (failure.kind !== 'overloaded' && failure.kind !== 'rate_limit') recordFailure(facts, failure)
    return undefined
  }
}

async function sendWhole(run: ExchangeRun, answer: JsonObject, status: number): Promise<void> {
  const { context, diagnostics } = run
  const head = backgroundHead(run)
  const value =
    run.window !== undefined
      ? windowAnswer(run, answer)
      : head === undefined
        ? answer
        : { ...answer, ...head }
  if (run.heldIds !== undefined) await claimIds(run, value)
  if (run.isShared) await rememberUpstream(run, value)
  if (mayBeContinued(run)) await saveAnswer(run, value)
  const losses = lossesOf(diagnostics)
  const body = wantsReport(context.request.headers) ? withReport(value, losses) : value
  context.observation.facts.firstByteMs = context.gateway.clock.now() - context.observation.facts.startedAt
  sendJson(context, status, body, conversionHeaders(run))
}

/** The events of a stream are not needed; the client gets the answer when it is complete. */
const discard: Listener = { begun: false, write: () => true, onDrain: () => {} }
