/** How much a key may use, as counters that begin anew with each minute and each day, by the clock in UTC. */
import type { UseLimit, UseLimits } from '@toolwire/core/wires'
import type { CountChange } from '../../store/store.ts'
import type { Tenant } from '../settings.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** A counter outlives its time, for what is counted late or by a clock that is behind. */
const keptMs = 5 * minuteMs

/** What one request has used, or is taken to use. Money is in millionths of a US dollar. */
export interface Use {
  readonly requests: number
  readonly tokens: number
  readonly money: number
}

export interface KeyLimit {
  readonly what: keyof Use
  readonly windowMs: number
  readonly most: number
  /** It begins anew so late that nobody should wait for it. */
  readonly isBudget: boolean
}

export function limitsOf(tenant: Tenant): readonly KeyLimit[] {
  const { requestsPerMinute, tokensPerMinute, tokensPerDay, dollarsPerDay } = tenant
  const found: readonly (readonly [keyof Use, number, number | undefined])[] = [
    ['requests', minuteMs, requestsPerMinute],
    ['tokens', minuteMs, tokensPerMinute],
    ['tokens', dayMs, tokensPerDay],
    ['money', dayMs, dollarsPerDay === undefined ? undefined : Math.round(dollarsPerDay * 1e6)],
  ]
  return found.flatMap(([what, windowMs, most]) =>
    most === undefined ? [] : [{ what, windowMs, most, isBudget: windowMs === dayMs }],
  )
}

/** The name says what is counted and when, and not how much is allowed: another limit goes on with the same counter. */
export function changeFor({ what, windowMs }: KeyLimit, by: number, now: number): CountChange {
  const window = Math.floor(now / windowMs)
  return {
    name: `${what} of ${windowMs / minuteMs} min ${window}`,
    by,
    expiresAt: (window + 1) * windowMs + keptMs,
  }
}

export function resetMs({ windowMs }: KeyLimit, now: number): number {
  return windowMs - (now % windowMs)
}

/** What a client is told: of several limits on the same, the one with least left. */
export function useLimits(limits: readonly KeyLimit[], values: readonly number[], now: number): UseLimits {
  const of = (wanted: keyof Use): UseLimit | undefined => {
    const [least] = limits
      .map((limit, at) => ({ limit, remaining: Math.max(0, limit.most - (values[at] ?? 0)) }))
      .filter(({ limit }) => limit.what === wanted)
      .sort((a, b) => a.remaining - b.remaining)
    if (least === undefined) return undefined
    const left = resetMs(least.limit, now)
    return {
      limit: least.limit.most,
      remaining: least.remaining,
      resetMs: left,
      resetAt: timeText(now + left),
    }
  }
  const [requests, tokens] = [of('requests'), of('tokens')]
  return { ...(requests && { requests }), ...(tokens && { tokens }) }
}

/** By RFC 3339, without fractions of a second. */
export function timeText(at: number): string {
  return new Date(Math.ceil(at / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}
