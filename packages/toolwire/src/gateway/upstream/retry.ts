/**
 * Retries: only before anything of an answer has been passed on, only after failures that are temporary, not before the
 * upstream allows it, and within a budget, so that an upstream in trouble is spared.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../errors.ts'
import type { UpstreamAnswer } from './attempt.ts'

const temporary: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529])
/**
 * Without an answer. After a reset a model may have worked on the request, but mostly a connection was closed while it was idle, and the
 * vendors' own clients ask again too. Another upstream is not asked for it: `fallback.ts`.
 */
const retried: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_connect_timeout',
  'upstream_reset',
])
const longestWaitMs = 20_000
const firstWaitMs = 400

/** Every request of an owner earns a fifth of a retry; bursts may spend ten. */
export interface RetryBudget {
  earn(owner: string): void
  spend(owner: string): boolean
}

const mostRetries = 10
/** Owners beyond these begin anew. */
const mostOwners = 1_000

/** Each owner has a budget of its own, so that one whose requests fail does not take the retries of the others. */
export function createRetryBudget(): RetryBudget {
  const retries = new Map<string, number>()
  const set = (owner: string, left: number): void => {
    // A full budget is the same as none that is known, and whoever was here last goes last.
    retries.delete(owner)
    if (left < mostRetries) retries.set(owner, left)
    const [oldest] = retries.keys()
    if (oldest !== undefined && retries.size > mostOwners) retries.delete(oldest)
  }
  return {
    earn(owner) {
      const left = retries.get(owner)
      if (left !== undefined) set(owner, Math.min(mostRetries, left + 0.2))
    },
    spend(owner) {
      const left = retries.get(owner) ?? mostRetries
      if (left < 1) return false
      set(owner, left - 1)
      return true
    },
  }
}

export interface RetryOptions {
  readonly retries: number
  /** Whether this upstream is the one to ask again. */
  mayRetry(failed: UpstreamAnswer | GatewayError): boolean
  readonly budget: RetryBudget
  readonly owner: string
  readonly clock: Clock
  readonly random: () => number
  readonly signal: SignalLike
  onRetry(): void
}

export async function withRetries(
  attempt: () => Promise<UpstreamAnswer>,
  options: RetryOptions,
): Promise<UpstreamAnswer> {
  const { retries, mayRetry, budget, owner, clock, random, signal, onRetry } = options
  budget.earn(owner)
  for (let tried = 0; ; tried++) {
    let answer: UpstreamAnswer | GatewayError
    try {
      answer = await attempt()
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      answer = error
    }
    const wait = waitBefore(answer, tried, clock, random)
    const isOver = tried >= retries || signal.aborted || !mayRetry(answer)
    if (wait === undefined || isOver || !budget.spend(owner)) {
      if (answer instanceof GatewayError) throw answer
      return answer
    }
    if (!(answer instanceof GatewayError)) answer.abort()
    onRetry()
    await pause(wait, clock, signal)
  }
}

/** How long to wait before the next attempt; `undefined` when there is to be none. */
function waitBefore(
  answer: UpstreamAnswer | GatewayError,
  tried: number,
  clock: Clock,
  random: () => number,
): number | undefined {
  if (!isTemporary(answer)) return undefined
  const backoff = Math.min(longestWaitMs, firstWaitMs * 2 ** tried) * (0.5 + random() / 2)
  if (answer instanceof GatewayError) return backoff
  const asked = retryAfterMs(answer.headers, clock)
  if (asked === undefined) return backoff
  // Whether to wait that long is for the client to decide.
  return asked > longestWaitMs ? undefined : asked
}

function isTemporary(answer: UpstreamAnswer | GatewayError): boolean {
  return answer instanceof GatewayError
    ? retried.has(answer.code ?? '')
    : temporary.has(answer.status) && answer.headers['x-should-retry'] !== 'false'
}

const amount = /^\d+(?:\.\d+)?$/

function retryAfterMs(headers: Readonly<Record<string, string>>, clock: Clock): number | undefined {
  const precise = headers['retry-after-ms']?.trim() ?? ''
  if (amount.test(precise)) return Number(precise)
  const given = headers['retry-after']?.trim() ?? ''
  if (amount.test(given)) return Number(given) * 1000
  // The only other form begins with the name of a day; whatever else the platform parses as a date is not one here.
  const date = /^[a-z]{3}/i.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.date())
}

/** Ends early when the signal aborts. */
export function pause(milliseconds: number, clock: Clock, signal: SignalLike): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(milliseconds, done)
    signal.addEventListener('abort', done)
  })
}
