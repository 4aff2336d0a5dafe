/** Requests to an upstream: those of an exchange, which are retried, and small questions beside them. */
import type { SignalLike, WireDefinition } from '@toolwire/core'
import type { WireJob } from '@toolwire/core/wires'
import type { Stopwatch } from '../../platform/clock.ts'
import type { ExchangeFacts, UpstreamAttempt } from '../../telemetry/observer.ts'
import type { GatewayContext, RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { UpstreamRequest } from '../http/contract.ts'
import { MaskedHead } from '../http/headers.ts'
import type { UpstreamAnswer } from './attempt.ts'
import { openAnswer } from './attempt.ts'
import { FellBack, failureOf, isAtFault } from './fallback.ts'
import { maskAnswer } from './mask-answer.ts'
import { collectBody } from './read-body.ts'
import { withRetries } from './retry.ts'
import type { Client, ServedUpstream } from './served.ts'

export interface UpstreamCall {
  readonly context: RequestContext
  /** The client's. */
  readonly wire: WireDefinition
  readonly upstream: ServedUpstream
  readonly upstreamModel: string
  readonly streamed: boolean
  readonly stopwatch: Stopwatch
  /** There is another upstream to ask if this one fails before the client has got anything. */
  readonly mayFallBack?: boolean
  /** What the upstream is asked to do, if not to answer. */
  readonly job?: WireJob | undefined
}

/** Sends a request to the upstream, again if need be, and resolves as soon as the head of the answer is there. */
export async function requestUpstream(
  call: UpstreamCall,
  body: string | Uint8Array,
): Promise<UpstreamAnswer> {
  const { context, wire, upstream, upstreamModel, streamed, job = 'exchange' } = call
  const url = upstream.url(job, upstreamModel, streamed)
  if (url === undefined) throw unable(upstream, streamed)
  const headers = upstream.requestHeaders({ wire, headers: context.request.headers }, streamed)
  const { pool } = context.gateway
  const mayFallBack = call.mayFallBack === true && (context.observation.facts.rounds ?? 1) <= 1
  // Another upstream is asked rather than the same one again.
  const mayRetry: MayRetry = failed => !mayFallBack || failureOf(upstream, failed) === undefined
  const answer = await sendUpstream(call, { method: 'POST', url, headers, body }, mayRetry).catch(asFailure)
  const why = failureOf(upstream, answer)
  const hasFailed = isAtFault(upstream, answer)
  if (hasFailed !== undefined) pool.report(upstream.name, hasFailed)
  if (why === undefined || !mayFallBack) {
    if (answer instanceof GatewayError) throw answer
    return answer
  }
  if (answer instanceof GatewayError) throw new FellBack(`${upstream.name} (${why})`, answer)
  answer.abort()
  throw new FellBack(
    `${upstream.name} (${why})`,
    new GatewayError('server', `Upstream "${upstream.name}" answered ${why}.`, {
      code: 'upstream_failed',
      status: 502,
    }),
  )
}

function asFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  throw error
}

type MayRetry = (failed: UpstreamAnswer | GatewayError) => boolean

/** The same for a request of any kind. */
export async function sendUpstream(
  { context, wire, upstream, stopwatch }: Pick<UpstreamCall, 'context' | 'wire' | 'upstream' | 'stopwatch'>,
  request: Omit<UpstreamRequest, 'connectMs'>,
  mayRetry: MayRetry = () => true,
): Promise<UpstreamAnswer> {
  const { gateway, observation, signal } = context
  const { clock, keyHeaders } = gateway
  const { timeouts, budget } = upstream
  const { method, url, headers, body, chunks } = request
  const sent = { method, url, headers, body, chunks, connectMs: timeouts.connectMs }
  const transport = await gateway.transportFor(upstream)
  if (observation.wantsViews) {
    observation.viewHead('upstream-request', new MaskedHead(`${method} ${url}`, headers, keyHeaders))
    observation.view('upstream-request', body)
  }
  const { name } = upstream
  const open = (): Promise<UpstreamAnswer> =>
    openAnswer({
      transport,
      request: sent,
      firstByteMs: timeouts.firstByteMs,
      clock,
      signal,
      name,
      noted: observation.wantsViews ? newAttempt(observation.facts, name, clock.now()) : undefined,
    })
  const answer = await stopwatch.wait(
    withRetries(open, {
      // A body that comes in pieces is there once.
      retries: chunks === undefined ? (upstream.retries ?? 2) : 0,
      mayRetry,
      budget,
      owner: context.share,
      clock,
      random: gateway.random,
      signal,
      onRetry() {
        observation.facts.retries = (observation.facts.retries ?? 0) + 1
      },
    }),
  )
  const masked = maskAnswer(answer, upstream.secrets({ wire, headers: context.request.headers }))
  if (observation.wantsViews) {
    observation.viewHead('upstream-answer', new MaskedHead(`${masked.status}`, masked.headers, keyHeaders))
  }
  return masked
}

function newAttempt(facts: ExchangeFacts, upstream: string, startedAt: number): UpstreamAttempt {
  const attempt: UpstreamAttempt = { upstream, round: facts.rounds ?? 1, startedAt }
  facts.attempts ??= []
  facts.attempts.push(attempt)
  return attempt
}

function unable({ name, wire }: ServedUpstream, streamed: boolean): GatewayError {
  const kind = streamed ? 'streamed' : 'unstreamed'
  return new GatewayError(
    'invalid_request',
    `Upstream "${name}" speaks ${wire.title}, which has no ${kind} answers.`,
  )
}

export interface Query {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Whose request this is about. */
  readonly client: Client
  readonly body?: string | Uint8Array
  readonly firstByteMs: number
  readonly limit: number
}

/** A small question, such as for the list of models. It is not retried. */
export async function queryUpstream(
  gateway: GatewayContext,
  upstream: ServedUpstream,
  query: Query,
  signal: SignalLike,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const { method, url, client, body = '', firstByteMs, limit } = query
  const headers = upstream.requestHeaders(client, false)
  const { connectMs, idleMs } = upstream.timeouts
  const { clock } = gateway
  const { name } = upstream
  const transport = await gateway.transportFor(upstream)
  const request = { method, url, headers, body, connectMs }
  const opened = await openAnswer({ transport, request, firstByteMs, clock, signal, name })
  const answer = maskAnswer(opened, upstream.secrets(client))
  const bytes = await collectBody({
    answer,
    limit,
    clock,
    idleMs: Math.min(idleMs, firstByteMs),
    signal,
    name,
  })
  return { status: answer.status, bytes }
}
