/**
 * Responses that are worked on while nobody waits: the client gets a receipt at once and asks for the rest later.
 * They live in this process; the store tells what became of them, also after a restart.
 */
import { createExchange } from '@toolwire/core'
import { answerWhole } from './answer-whole.ts'
import { createDeadline } from './clock.ts'
import type { Sink } from './contract.ts'
import type { Visit } from './core.ts'
import { sendJson } from './core.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { keep, receiptHead, Stopwatch } from './exchange-run.ts'
import { GatewayError, outOfTime, unavailable } from './gateway-error.ts'
import type { JsonObject } from './json-body.ts'
import { asGatewayError, noteFailure } from './tell-error.ts'

export interface BackgroundRuns {
  /**
   * Refuses when too much is being worked on. Resolves when the receipt is kept; from then on the work goes on by
   * itself, and may itself give up.
   */
  start(owner: string, id: string, job: BackgroundJob): Promise<void>
  /** Aborts the work and waits for its end; `false` when it is not running here. */
  cancel(owner: string, id: string): Promise<boolean>
  /** Gives up everything that still runs. */
  stop(): void
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>
  /** How many run. */
  readonly size: number
}

interface BackgroundJob {
  keepReceipt(): Promise<void>
  /** Never rejects. */
  work(abort: AbortController): Promise<void>
}

export function createBackgroundRuns(limit: number): BackgroundRuns {
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>()
  const keyOf = (owner: string, id: string): string => `${owner} ${id}`
  return {
    async start(owner, id, { keepReceipt, work }) {
      if (running.size >= limit) {
        throw unavailable(`${limit} background responses are already being worked on.`, {
          code: 'too_many_background_responses',
        })
      }
      const key = keyOf(owner, id)
      const abort = new AbortController()
      const kept = keepReceipt()
      const done = kept.then(
        () => work(abort),
        () => {},
      )
      running.set(key, { abort, done: done.finally(() => running.delete(key)) })
      await kept
    },
    async cancel(owner, id) {
      const found = running.get(keyOf(owner, id))
      if (found === undefined) return false
      found.abort.abort(new GatewayError('server', 'The response was cancelled.', { code: 'cancelled' }))
      await found.done
      return true
    },
    stop() {
      for (const { abort } of running.values()) {
        abort.abort(new GatewayError('server', 'The gateway was stopped.', { code: 'server_restart' }))
      }
    },
    async settled() {
      await Promise.all([...running.values()].map(({ done }) => done))
    },
    get size() {
      return running.size
    },
  }
}

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
  if (run.streamed) {
    throw new GatewayError(
      'invalid_request',
      'This gateway cannot stream a background response. Ask for it with GET /v1/responses/{id}.',
      {
        param: 'stream',
        code: 'unsupported_parameter',
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
  await core.background.start(owner, responseId, {
    keepReceipt: () => keep(run, receipt),
    work: abort => work(run, { ...receipt, status: 'in_progress' }, upstreamBody, abort),
  })
  visit.observation.facts.finish = 'queued'
  sendJson(visit, 200, receipt)
}

async function work(
  run: ExchangeRun,
  receipt: JsonObject,
  upstreamBody: string | Uint8Array,
  abort: AbortController,
): Promise<void> {
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
  const detached = { ...run, visit, stopwatch }
  const end = async (status: string, error: JsonObject | null): Promise<void> => {
    await keep(detached, { ...receipt, status, error }).catch(() => {})
  }
  try {
    await keep(detached, receipt)
    await answerWhole(detached, upstreamBody, refusal => end('failed', refusal))
  } catch (error) {
    const failure = asGatewayError(error)
    const { code = failure.kind, message } = failure
    noteFailure(observation.facts, failure)
    if (code === 'cancelled') await end('cancelled', null)
    else await end('failed', { code, message })
  } finally {
    limit.stop()
    observation.facts.totalMs = clock.now() - observation.facts.startedAt
    observation.facts.overheadMs = Math.max(0, observation.facts.totalMs - stopwatch.waitedMs)
    observation.end()
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
