/** One exchange on its way: what it was asked, where it goes, and what became of it so far. */
import type { Diagnostic, Exchange, BuiltInWire as Wire } from '@toolwire/core'
import type { RequestContext } from '../context.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { keepResponse } from '../responses-api/state.ts'
import type { ResponseWriter } from '../responses-api/unsaved-responses.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { openAnswer } from '../upstream/attempt.ts'
import { secretName, upstreamHeaders } from '../upstream/headers.ts'
import { withRetries } from '../upstream/retry.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { countLosses } from './loss-report.ts'

export interface ExchangeRun {
  readonly context: RequestContext
  readonly wire: Wire
  readonly upstream: ServedUpstream
  readonly upstreamModel: string
  readonly exchange: Exchange
  /** What the client sent, as far as it has been read: nothing, of what `passes`. */
  readonly body: JsonObject
  /** The client's bytes go to the upstream as they are. */
  readonly passes: boolean
  readonly streamed: boolean
  readonly state: StatefulRequest | undefined
  /** The id under which the answer is known; empty where the gateway does not keep it. */
  readonly responseId: string
  readonly createdAt: number
  /** Where the answer is kept. */
  readonly store: ResponseWriter | undefined
  readonly diagnostics: Diagnostic[]
  readonly stopwatch: Stopwatch
}

/** Tells waiting from working, so that the gateway's own share can be seen. */
export class Stopwatch {
  waitedMs = 0
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  async wait<T>(promise: Promise<T>): Promise<T> {
    const start = this.#now()
    try {
      return await promise
    } finally {
      this.waitedMs += this.#now() - start
    }
  }

  /** Time spent working while something was being waited for. */
  worked(milliseconds: number): void {
    this.waitedMs -= milliseconds
  }
}

/** Sends a request to the upstream, again if need be, and gives the answer as soon as its head is there. */
export async function requestUpstream(run: ExchangeRun, body: string | Uint8Array): Promise<UpstreamAnswer> {
  const { context, upstream, streamed, stopwatch } = run
  const { gateway, request, observation, signal } = context
  const { clock } = gateway
  const { url, timeouts, budget } = upstream
  const transport = await gateway.transportFor(upstream)
  const headers = upstreamHeaders(upstream, request.headers, streamed)
  if (observation.wantsViews) {
    observation.viewHead('upstream-request', { line: `POST ${url}`, headers: maskSecrets(headers) })
    observation.view('upstream-request', body)
  }
  const answer = await stopwatch.wait(
    withRetries(
      () =>
        openAnswer({
          transport,
          request: { method: 'POST', url, headers, body, connectMs: timeouts.connectMs },
          firstByteMs: timeouts.firstByteMs,
          clock,
          signal,
          name: upstream.name,
        }),
      {
        retries: upstream.retries ?? 2,
        budget,
        clock,
        random: gateway.random,
        signal,
        onRetry() {
          observation.facts.retries = (observation.facts.retries ?? 0) + 1
        },
      },
    ),
  )
  if (observation.wantsViews) {
    observation.viewHead('upstream-answer', {
      line: String(answer.status),
      headers: maskSecrets(answer.headers),
    })
  }
  return answer
}

export function maskSecrets(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) out[name] = secretName.test(name) ? '***' : value
  }
  return out
}

export function isEventStream(answer: UpstreamAnswer): boolean {
  return /^\s*text\/event-stream\b/i.test(answer.headers['content-type'] ?? '')
}

/** Headers that only the conversion knows. */
export function conversionHeaders(run: ExchangeRun): Record<string, string> {
  return {
    'x-toolwire-losses': String(countLosses(run.diagnostics)),
    'x-toolwire-upstream': run.upstream.headerName,
  }
}

/** What the receipt of a background response says of it, and all that is heard of it later must say too. */
export function receiptHead({ responseId, createdAt }: ExchangeRun): JsonObject {
  return { id: responseId, created_at: Math.floor(createdAt / 1000), background: true }
}

/** Before the client hears the end of an answer, whatever it may refer to later is kept. */
export async function saveAnswer(run: ExchangeRun, response: JsonObject | undefined): Promise<void> {
  const { state, store, context, createdAt, stopwatch } = run
  const { gateway, owner } = context
  if (state === undefined || !state.keeps || store === undefined || typeof response?.id !== 'string') return
  context.observation.facts.responseId = response.id
  await stopwatch.wait(
    keepResponse({
      state,
      response,
      owner,
      store,
      createdAt,
      expiresAt: createdAt + gateway.ttlMs,
      newId: gateway.newId,
    }),
  )
}
