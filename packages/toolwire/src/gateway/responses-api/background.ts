/**
 * Background responses: the client gets a receipt at once and requests the result later, or listens to the events as
 * long as it likes. They run in this process; the store has their outcome, also after a restart.
 */

import { emptyAnswer } from '@toolwire/core'
import { createDeadline, Stopwatch } from '../../platform/clock.ts'
import { requestFirst } from '../compaction/first-request.ts'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { asGatewayError, GatewayError, outOfTime, recordFailure, recordSaveFailure } from '../errors.ts'
import { conversionHeaders } from '../exchange/loss-report.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { StreamListener } from '../exchange/streamed.ts'
import { pipeStream } from '../exchange/streamed.ts'
import { answerWhole } from '../exchange/whole.ts'
import type { Sink } from '../http/contract.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import type { EventLog } from './event-logs.ts'
import { replayEvents } from './replay-events.ts'
import { receiptHead, saveAnswer } from './save-response.ts'

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
  const job = { run, receipt: { ...receipt, status: 'in_progress' }, upstreamBody, log }
  const started = gateway.background.start(owner, responseId, context.share, {
    saveReceipt: () => saveAnswer(run, receipt),
    work: abort => work(job, abort),
  })
  await started.catch((error: unknown) => {
    gateway.eventLogs.drop(owner, responseId)
    throw error
  })
  context.observation.facts.finish = 'queued'
  if (log === undefined) sendJson(context, 200, receipt)
  else await replayEvents(context, log, 0, { headers: conversionHeaders(run), stopwatch: run.stopwatch })
}

interface Job {
  readonly run: ExchangeRun
  /** The response while it is being worked on. */
  readonly receipt: JsonObject
  readonly upstreamBody: string | Uint8Array
  /** Where its events go, if it is streamed. */
  readonly log: EventLog | undefined
}

async function work({ run, receipt, upstreamBody, log }: Job, abort: AbortController): Promise<void> {
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
  const context: RequestContext = { ...run.context, sink: nowhere, signal: abort.signal, observation, memory }
  const store = gateway.unsaved.retryingWriter(abort.signal)
  const detached = { ...run, context, stopwatch, store }
  const end = async (status: string, error: JsonObject | null): Promise<void> => {
    const last = { ...receipt, status, error }
    await saveAnswer(detached, last).catch(error => recordSaveFailure(observation.facts, error))
  }
  try {
    if (log !== undefined) await answerInto(log, detached, receipt, upstreamBody)
    else {
      await saveAnswer(detached, receipt)
      await answerWhole(detached, upstreamBody, refusal => end('failed', refusal))
    }
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
    observation.facts.totalMs = clock.now() - observation.facts.startedAt
    observation.facts.overheadMs = Math.max(0, observation.facts.totalMs - stopwatch.waitedMs)
    observation.end()
  }
}

/** Its end is stored before it is sent, as with any stream; one that failed or was cancelled is stored as such. */
async function answerInto(
  log: EventLog,
  run: ExchangeRun,
  receipt: JsonObject,
  upstreamBody: string | Uint8Array,
): Promise<void> {
  const stream = run.exchange.stream({ holdEnd: true })
  // Listeners need the id at once, to be able to come back.
  log.append(stream.begin(Math.floor(run.createdAt / 1000)))
  const open = async (): Promise<UpstreamAnswer> => {
    await saveAnswer(run, receipt)
    return requestFirst(run, upstreamBody)
  }
  const unsaved = await pipeStream(run, stream, listenerOf(log), open, (answer, { code }) =>
    code === 'cancelled' ? { ...answer, status: 'cancelled', error: null } : answer,
  )
  if (unsaved !== undefined) throw unsaved
}

/** Events are logged whether or not anybody listens, and no listener makes them wait. */
function listenerOf(log: EventLog): StreamListener {
  return {
    begun: true,
    firstByteAt: undefined,
    write(text) {
      log.append(text)
      return true
    },
    onDrain: callback => callback(),
    end: () => void log.close(),
    abandon: () => void log.close(),
  }
}

const nowhere: Sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
