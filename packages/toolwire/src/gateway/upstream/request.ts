/** Requests to an upstream: those of an exchange, which are retried, and small questions beside them. */
import type { SignalLike, WireDefinition } from '@toolwire/core'
import type { WireJob } from '@toolwire/core/wires'
import type { Stopwatch } from '../../platform/clock.ts'
import type { GatewayContext, RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { UpstreamRequest } from '../http/contract.ts'
import { maskSecrets } from '../http/headers.ts'
import type { UpstreamAnswer } from './attempt.ts'
import { openAnswer } from './attempt.ts'
import { FellBack, failureOf } from './fallback.ts'
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
  const retries = mayFallBack ? 0 : (upstream.retries ?? 2)
  const sent = sendUpstream(call, { method: 'POST', url, headers, body }, retries)
  const answer = await sent.catch((error: unknown) => {
    if (error instanceof GatewayError) return error
    throw error
  })
  const why = failureOf(upstream, answer)
  pool.report(upstream.name, why !== undefined)
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

/** The same for a request of any kind. */
export async function sendUpstream(
  { context, wire, upstream, stopwatch }: Pick<UpstreamCall, 'context' | 'wire' | 'upstream' | 'stopwatch'>,
  request: Omit<UpstreamRequest, 'connectMs'>,
  retries: number = upstream.retries ?? 2,
): Promise<UpstreamAnswer> {
  const { gateway, observation, signal } = context
  const { clock, keyHeaders } = gateway
  const { timeouts, budget } = upstream
  const { method, url, headers, body } = request
  const transport = await gateway.transportFor(upstream)
  if (observation.wantsViews) {
    observation.viewHead('upstream-request', {
      line: `${method} ${url}`,
      headers: maskSecrets(headers, keyHeaders),
    })
    observation.view('upstream-request', body)
  }
  const answer = await stopwatch.wait(
    withRetries(
      () =>
        openAnswer({
          transport,
          request: { ...request, connectMs: timeouts.connectMs },
          firstByteMs: timeouts.firstByteMs,
          clock,
          signal,
          name: upstream.name,
        }),
      {
        // A body that comes in pieces is there once.
        retries: request.chunks === undefined ? retries : 0,
        budget,
        owner: context.share,
        clock,
        random: gateway.random,
        signal,
        onRetry() {
          const { facts } = observation
          facts.retries = (facts.retries ?? 0) + 1
          facts.retriedAt = [...(facts.retriedAt ?? []), clock.now()]
        },
      },
    ),
  )
  const masked = maskAnswer(answer, upstream.secrets({ wire, headers: context.request.headers }))
  if (observation.wantsViews) {
    observation.viewHead('upstream-answer', {
      line: String(masked.status),
      headers: maskSecrets(masked.headers, keyHeaders),
    })
  }
  return masked
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
