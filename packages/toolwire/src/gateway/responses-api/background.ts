/**
 * Responses that are worked on while nobody need wait: the client gets a receipt at once and asks for the rest later, or
 * listens to the events as long as it likes.
 * They live in this process; the store tells what became of them, also after a restart.
 */
import { createExchange } from '@toolwire/core'
import { createDeadline } from '../clock.ts'
import type { Visit } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError, outOfTime } from '../errors.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { ask, conversionHeaders, keep, receiptHead, Stopwatch } from '../exchange/run.ts'
import type { StreamListener } from '../exchange/streamed.ts'
import { giveStream } from '../exchange/streamed.ts'
import { answerWhole } from '../exchange/whole.ts'
import type { Sink } from '../http/contract.ts'
import type { JsonObject } from '../http/json-body.ts'
import { asGatewayError, noteFailure, noteUnkept } from '../send-error.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import type { EventLog } from './event-logs.ts'
import { tellEvents } from './replay-events.ts'

export async function startBackground(run: ExchangeRun, upstreamBody: string | Uint8Array): Promise<void> {
  const { visit, state, responseId } = run
  const { core, owner } = visit
  if (state === undefined || !state.keeps) {
    throw new GatewayError(
      'invalid_request',
      'background needs a stored response: leave "store" out or set it to true.',
      {
        param: 'background',
      },
    )
  }
  const receipt = {
    ...skeleton(run),
    ...receiptHead(run),
    status: 'queued',
    output: [],
    usage: null,
  }
  const log = run.streamed ? core.eventLogs.open(owner, responseId) : undefined
  const job = { run, receipt: { ...receipt, status: 'in_progress' }, upstreamBody, log }
  const started = core.background.start(owner, responseId, {
    keepReceipt: () => keep(run, receipt),
    work: abort => work(job, abort),
  })
  await started.catch((error: unknown) => {
    core.eventLogs.drop(owner, responseId)
    throw error
  })
  visit.observation.facts.finish = 'queued'
  if (log === undefined) sendJson(visit, 200, receipt)
  else await tellEvents(visit, log, 0, { headers: conversionHeaders(run), stopwatch: run.stopwatch })
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
  const { core, observation: asked } = run.visit
  const { clock } = core
  const { totalMs } = run.upstream.timeouts
  const limit = createDeadline(clock, totalMs, () => abort.abort(outOfTime(totalMs)))
  // The client's own request is over by now; this is an exchange of its own for whoever watches.
  const { firstByteMs: _, totalMs: __, overheadMs: ___, ...known } = asked.facts
  const observation = core.observer.begin({
    ...known,
    id: core.newId('req_'),
    route: 'BACKGROUND /v1/responses',
    at: clock.date(),
    startedAt: clock.now(),
  })
  const stopwatch = new Stopwatch(clock.now)
  const visit: Visit = { ...run.visit, sink: nowhere, signal: abort.signal, observation }
  const store = core.lastSaves.keeper(abort.signal)
  const detached = { ...run, visit, stopwatch, store }
  const end = async (status: string, error: JsonObject | null): Promise<void> => {
    const last = { ...receipt, status, error }
    await keep(detached, last).catch(unkept => noteUnkept(observation.facts, unkept))
  }
  try {
    if (log !== undefined) await answerInto(log, detached, receipt, upstreamBody)
    else {
      await keep(detached, receipt)
      await answerWhole(detached, upstreamBody, refusal => end('failed', refusal))
    }
  } catch (error) {
    const failure = asGatewayError(error)
    const { code = failure.kind, message } = failure
    noteFailure(observation.facts, failure)
    if (code === 'cancelled') await end('cancelled', null)
    else await end('failed', { code, message })
  } finally {
    limit.stop()
    log?.close()
    observation.facts.totalMs = clock.now() - observation.facts.startedAt
    observation.facts.overheadMs = Math.max(0, observation.facts.totalMs - stopwatch.waitedMs)
    observation.end()
  }
}

/** Its end is kept before it is told, as with any stream; one that failed or was cancelled is kept as such. */
async function answerInto(
  log: EventLog,
  run: ExchangeRun,
  receipt: JsonObject,
  upstreamBody: string | Uint8Array,
): Promise<void> {
  const stream = run.exchange.stream()
  // Whoever listens is to know at once under which id to come back.
  log.append(stream.begin(Math.floor(run.createdAt / 1000)))
  const open = async (): Promise<UpstreamAnswer> => {
    await keep(run, receipt)
    return ask(run, upstreamBody)
  }
  const unkept = await giveStream(run, stream, listenerOf(log), open, (answer, { code }) =>
    code === 'cancelled' ? { ...answer, status: 'cancelled', error: null } : answer,
  )
  if (unkept !== undefined) throw unkept
}

/** Nobody need listen for the events to be written, and nobody makes them wait. */
function listenerOf(log: EventLog): StreamListener {
  return {
    begun: true,
    firstByteAt: undefined,
    write(text) {
      log.append(text)
      return true
    },
    onDrain: callback => callback(),
    end: () => log.close(),
    abandon: () => log.close(),
  }
}

/** A response about which nothing is known yet but what was asked for. */
function skeleton({ body, visit: { core } }: ExchangeRun): JsonObject {
  const exchange = createExchange({
    from: 'responses',
    to: 'chat',
    newId: core.newId,
    now: () => Math.floor(core.clock.date() / 1000),
  })
  exchange.request(body)
  return exchange.response({ object: 'chat.completion', model: body.model, choices: [] }).value
}

const nowhere: Sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
