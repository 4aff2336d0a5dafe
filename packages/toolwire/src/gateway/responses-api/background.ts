/**
 * Background responses: the client gets a receipt at once and requests the result later, or listens to the events as
 * long as it likes. They run in this process; the store has their outcome, also after a restart.
 */

import type { ExchangeStream } from '@toolwire/core'
import { emptyAnswer } from '@toolwire/core'
import { createDeadline, Stopwatch } from '../../platform/clock.ts'
import { isFinished } from '../../store/lifecycle.ts'
import { requestFirst } from '../compaction/first-request.ts'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, outOfTime, recordFailure, recordSaveFailure } from '../errors.ts'
import { noteFallBack } from '../exchange/any-upstream.ts'
import { conversionHeaders } from '../exchange/loss-report.ts'
import type { ExchangeRun, ReadyRun } from '../exchange/run.ts'
import type { StreamListener } from '../exchange/streamed.ts'
import { mostWholeText, pipeStream } from '../exchange/streamed.ts'
import { answerWhole } from '../exchange/whole.ts'
import type { Sink } from '../http/contract.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { FellBack } from '../upstream/fallback.ts'
import type { EventLog } from './event-logs.ts'
import { replayEvents } from './replay-events.ts'
import { receiptHead, saveAnswer } from './save-response.ts'
import type { ResponseWriter } from './unsaved-responses.ts'

export async function startBackground(run: ExchangeRun, upstreamBody: string | Uint8Array): Promise<void> {
  const { context, state, responseId } = run
  const { gateway, owner } = context
  if (state === undefined || !state.isStored) {
    throw new GatewayError(
      'invalid_request',
      'background needs a stored response: leave "store" out or set it to true.',
      {
        param: 'background',
      },
    )
  }
  const receipt = {
    ...emptyAnswer(run.wire, run.body, { newId: gateway.newId, now: gateway.now }),
    ...receiptHead(run),
    status: 'queued',
    incomplete_details: null,
    output: [],
    usage: null,
  }
  const log = run.streamed ? gateway.eventLogs.open(owner, responseId) : undefined
  const stream = log && run.exchange.stream({ holdEnd: true, mostText: mostWholeText })
  const job = { run, receipt: { ...receipt, status: 'in_progress' }, upstreamBody, log, stream }
  const started = gateway.background.start(owner, responseId, context.share, {
    saveReceipt() {
      // Whoever has the id can come back to listen, also elsewhere and when this gateway dies at once.
      if (stream !== undefined) log?.append(stream.begin(Math.floor(run.createdAt / 1000)))
      const store = log && run.store ? listenerOf(log, run.store) : run.store
      return saveAnswer({ ...run, store }, receipt)
    },
    work: abort => work(job, abort),
  })
  if (context.charge !== undefined) context.charge.isDetached = true
  await started.catch((error: unknown) => {
    if (context.charge !== undefined) context.charge.isDetached = false
    void log?.close()
    gateway.eventLogs.drop(owner, responseId)
    throw error
  })
  context.observation.facts.finish = 'queued'
  if (log === undefined) sendJson(context, 200, receipt)
  else {
    const { 'x-toolwire-upstream': upstream = '', ...headers } = conversionHeaders(run)
    // Of several, nobody knows yet which one will answer.
    const known = run.isShared ? headers : { ...headers, 'x-toolwire-upstream': upstream }
    await replayEvents(context, log, 0, known)
  }
}

interface Job {
  readonly run: ExchangeRun
  /** The response while it is being worked on. */
  readonly receipt: JsonObject
  readonly upstreamBody: string | Uint8Array
  /** Where its events go, if it is streamed. */
  readonly log: EventLog | undefined
  /** What makes them; its beginning is in the log. */
  readonly stream: ExchangeStream | undefined
}

async function work({ run, receipt, upstreamBody, log, stream }: Job, abort: AbortController): Promise<void> {
  const { gateway, observation: parent } = run.context
  const { clock } = gateway
  const { totalMs } = run.upstream.timeouts
  const limit = createDeadline(clock, totalMs, () => abort.abort(outOfTime(totalMs)))
  // The client's own request has been answered; to observers this is an exchange of its own.
  const { firstByteMs: _, totalMs: __, overheadMs: ___, ...known } = parent.facts
  const observation = gateway.observer.begin({
    ...known,
    id: gateway.newId('req_'),
    route: 'BACKGROUND /v1/responses',
    at: clock.date(),
    startedAt: clock.now(),
  })
  const stopwatch = new Stopwatch(clock.now)
  const memory = run.context.memory.handOver()
  const own = { sink: nowhere, signal: abort.signal, observation, memory, stopwatch }
  const context: RequestContext = { ...run.context, ...own }
  const writer = gateway.unsaved.retryingWriter(abort.signal)
  const drop = (): void => gateway.eventLogs.drop(context.owner, run.responseId)
  const listener = log && listenerOf(log, writer, drop)
  const detach = (given: ExchangeRun): ExchangeRun => ({
    ...given,
    context,
    stopwatch,
    store: listener ?? writer,
    createdAt: run.createdAt,
  })
  const end = async (status: string, error: JsonObject | null): Promise<void> => {
    const last = { ...receipt, status, error }
    await saveAnswer(detach(run), last).catch(error => recordSaveFailure(observation.facts, error))
  }
  try {
    const first = await firstAnswer({ run, body: upstreamBody }, receipt, detach)
    if (listener === undefined) await answerWhole(first.run, first.open, refusal => end('failed', refusal))
    else await answerInto(listener, first, first.run.exchange === run.exchange ? stream : undefined)
  } catch (error) {
    const failure = asGatewayError(error)
    const { code = failure.kind, message } = failure
    recordFailure(observation.facts, failure)
    if (code === 'cancelled') await end('cancelled', null)
    else await end('failed', { code, message })
  } finally {
    limit.stop()
    memory.release()
    await log?.close()
    context.charge?.settle(observation.facts)
    observation.facts.totalMs = clock.now() - observation.facts.startedAt
    observation.facts.overheadMs = Math.max(0, observation.facts.totalMs - stopwatch.waitedMs)
    observation.end()
  }
}

interface FirstAnswer {
  readonly run: ExchangeRun
  readonly open: () => Promise<UpstreamAnswer>
}

/** Of the first upstream that does not fail before it answers. */
async function firstAnswer(
  { run: given, body }: ReadyRun,
  receipt: JsonObject,
  detach: (run: ExchangeRun) => ExchangeRun,
): Promise<FirstAnswer> {
  const run = detach(given)
  const answer = saveAnswer(run, receipt).then(() => requestFirst(run, body))
  const open = (): Promise<UpstreamAnswer> => answer
  const error: unknown = await answer.then(
    () => undefined,
    reason => reason,
  )
  if (!(error instanceof FellBack) || run.next === undefined) return { run, open }
  noteFallBack(run.context.observation.facts, error)
  const next = run.next(run.context, run.responseId)
  return next.then(
    ready => firstAnswer(ready, receipt, detach),
    () => ({ run, open: async () => next.then(() => answer) }),
  )
}

/** Its end is stored before it is sent, also of one that failed or was cancelled, or it is not sent. */
async function answerInto(
  listener: StreamListener,
  { run, open }: FirstAnswer,
  begun: ExchangeStream | undefined,
): Promise<void> {
  const stream = begun ?? run.exchange.stream({ holdEnd: true, mostText: mostWholeText })
  // Its beginning is in the log already.
  if (begun === undefined) stream.begin(Math.floor(run.createdAt / 1000))
  await pipeStream(run, stream, listener, open)
}

/**
 * Events are logged whether or not anybody listens, and no listener makes them wait. The first and the last ones are saved in
 * one step with the response, so that whoever finds it elsewhere finds them too. `drop` is called where the end is not among
 * them: whoever comes back finds it in the store, once it is there.
 */
function listenerOf(
  log: EventLog,
  store: ResponseWriter,
  drop = (): void => {},
): StreamListener & ResponseWriter {
  let last = ''
  return {
    begun: true,
    firstByteAt: undefined,
    beforeEnd(text) {
      last = text
    },
    saveResponse: record =>
      log.saveWith(last, isFinished(record.status), events => store.saveResponse(record, events)),
    write(text) {
      last = ''
      log.append(text)
      return true
    },
    cut(failure) {
      log.cut(failure)
      drop()
    },
    onDrain: callback => callback(),
    end: () => void log.close(),
    abandon: () => void log.close(),
  }
}

const nowhere: Sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
