/** An upstream's refusal, in the client's words and with what it said about trying again. */

import type { FailureKind } from '../errors.ts'
import { collect } from '../exchange/relay.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { headerText } from '../http/header-text.ts'
import type { UpstreamAnswer } from './attempt.ts'
import { secretsOf } from './headers.ts'

export interface Refusal {
  readonly value: unknown
  readonly status: number
  readonly headers: Record<string, string>
  readonly message: string
  readonly kind: FailureKind
}

const longestError = 1024 * 1024

/** A redirect is one too: whoever follows it takes the key to where the settings do not say. */
export function isRefusal({ status }: UpstreamAnswer): boolean {
  return status >= 300
}

export async function readRefusal(run: ExchangeRun, answer: UpstreamAnswer): Promise<Refusal> {
  const { exchange, upstream, context, stopwatch } = run
  const { gateway, signal, observation } = context
  const bytes = await stopwatch.wait(
    collect({
      answer,
      limit: longestError,
      clock: gateway.clock,
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
    }),
  )
  // Some upstreams repeat in their errors what they were sent, keys included.
  const text = withoutSecrets(bytes.toString('utf8'), secretsOf(upstream, context.request.headers))
  if (observation.wantsViews) observation.view('upstream-answer', text)
  const body = answer.status < 400 ? undefined : errorObject(text)
  const kind = kindOf(answer.status)
  const said =
    body === undefined
      ? exchange.failure({ kind, message: describe(upstream.name, answer.status, text) })
      : exchange.response(body)
  observation.facts.failure = { code: `upstream_${answer.status}`, message: messageOf(said.value) }
  return {
    value: said.value,
    // Only Messages servers say 529; everyone else knows what it means by another number.
    status: answer.status < 400 ? 502 : answer.status === 529 ? said.status : answer.status,
    headers: aboutRetrying(answer.headers),
    message: messageOf(said.value),
    kind,
  }
}

function errorObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Some servers send a list with one error in it.
    const body: unknown = Array.isArray(value) ? value[0] : value
    return typeof body === 'object' &&
      body !== null &&
      ('error' in body || 'message' in body || 'detail' in body)
      ? body
      : undefined
  } catch {
    return undefined
  }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

function describe(name: string, status: number, text: string): string {
  if (status < 400) {
    return `Upstream "${name}" answered with a redirect (${status}), which is not followed. Correct its address.`
  }
  const words = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
  return `Upstream "${name}" answered with status ${status}${words === '' ? '.' : `: ${words}`}`
}

export function messageOf(value: unknown): string {
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined
  return typeof message === 'string' ? message : 'The upstream refused.'
}

function kindOf(status: number): FailureKind {
  switch (status) {
    case 401:
      return 'authentication'
    case 402:
    case 403:
      return 'permission'
    case 404:
      return 'not_found'
    case 409:
      return 'conflict'
    case 413:
      return 'too_large'
    case 429:
      return 'rate_limit'
    case 408:
    case 504:
      return 'timeout'
    case 503:
    case 529:
      return 'overloaded'
    default:
      return status >= 400 && status < 500 ? 'invalid_request' : 'server'
  }
}

const passedOn = /^(retry-after(-ms)?|x-ratelimit-.+|anthropic-ratelimit-.+|x-should-retry)$/

function aboutRetrying(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      passedOn.test(name) ? [[name, headerText(value)]] : [],
    ),
  )
}
