/** What one request takes of what its key may use: an estimate before the upstream is asked, and the rest at its end. */
import { costOf } from '@toolwire/core/presets'
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { interruptedCode } from '../responses-api/interrupted.ts'
import type { Destination } from '../upstream/route-model.ts'
import { changeFor, type KeyLimit, resetMs, timeText, type Use, useLimits } from './key-limits.ts'
import type { Charge, TenantRules } from './rules.ts'

/** What known clients take for longer than they should wait, they do not wait for at all. */
const longestWaitMs = 59_999
/** A token of an answer that does not say how many it has. */
const bytesPerToken = 4

class KeyCharge implements Charge {
  readonly #context: RequestContext
  readonly #tenant: TenantRules
  readonly #begunAt: number
  readonly #reserved: Use
  #isSettled = false
  isDetached = false
  unstatedBytes = 0

  constructor(context: RequestContext, tenant: TenantRules, reserved: Use) {
    this.#context = context
    this.#tenant = tenant
    this.#reserved = reserved
    this.#begunAt = context.gateway.clock.date()
  }

  /** Rejects when the key has used up what it may. Tells the client how much is left. */
  async begin(): Promise<void> {
    const { gateway, share, headers, wire } = this.#context
    const { limits, name } = this.#tenant
    const now = this.#begunAt
    const changes = limits.map(limit => ({
      ...changeFor(limit, this.#reserved[limit.what], now),
      most: limit.most,
    }))
    // What was not taken is not given back.
    this.#isSettled = true
    const { isAdded, values } = await gateway.tenants.counters.add(
      share,
      changes,
      gateway.tenants.withoutStore,
    )
    this.#isSettled = !isAdded
    Object.assign(headers, wire.service.http.limitHeaders?.(useLimits(limits, values, now)))
    if (isAdded) return
    throw refusal(
      name,
      limits.filter(({ most }, at) => (values[at] ?? 0) >= most),
      now,
    )
  }

  settle(facts: ExchangeFacts): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { gateway, share } = this.#context
    const { counters } = gateway.tenants
    const used = this.#used(facts)
    const now = gateway.clock.date()
    const changes = this.#tenant.limits.flatMap(limit => {
      const more = used[limit.what] - this.#reserved[limit.what]
      const change = changeFor(limit, more, now)
      // What was taken too much in a time that is over is not given back in this one.
      const isSameWindow = change.name === changeFor(limit, 0, this.#begunAt).name
      return more > 0 || (more < 0 && isSameWindow) ? [change] : []
    })
    // In trouble they are owed.
    if (changes.length > 0) counters.add(share, changes, 'local').catch(() => {})
  }

  #used(facts: ExchangeFacts): Use {
    const { usage, upstream = '', upstreamModel = '' } = facts
    const { requests } = this.#reserved
    if (usage !== undefined) {
      const price = this.#tenant.priceAt(upstreamModel, upstream)
      const money = price === undefined ? 0 : Math.ceil(costOf(usage, price) * 1e6)
      return { requests, tokens: usage.input + usage.output, money }
    }
    if (costsNothing(facts)) return { requests, tokens: 0, money: 0 }
    const output = Math.ceil(this.unstatedBytes / bytesPerToken)
    const price = this.#tenant.priceAt(upstreamModel, upstream)
    const money = price === undefined ? 0 : Math.ceil(costOf({ input: 0, output }, price) * 1e6)
    return { requests, tokens: this.#reserved.tokens + output, money: this.#reserved.money + money }
  }
}

/** A refusal does, also one that was told in a stream or to nobody. */
function costsNothing({ status = 0, failure, abandoned, rounds = 1 }: ExchangeFacts): boolean {
  const { code = '' } = failure ?? {}
  // The model may have read the request of a client that left, and has answered the rounds before this one.
  if (abandoned === true || code === interruptedCode || rounds > 1) return false
  return status >= 400 || refusalCode.test(code)
}

/** The upstream's own status, or it has not seen the request. */
const refusalCode = /^upstream_(?:\d{3}|unreachable|connect_timeout)$/

/** `undefined` where nothing is limited. Rejects when the key has used up what it may. */
export function charge(
  context: RequestContext,
  { upstream, model }: Destination,
  estimate: () => number,
): Promise<void> | undefined {
  const { tenant } = context
  // The model writes nothing for a warm-up.
  if (tenant === undefined || tenant.limits.length === 0 || context.request.isWarmUp === true)
    return undefined
  const tokens = tenant.isMetered ? estimate() : 0
  const price = tenant.priceAt(model, upstream.name)
  const money = price === undefined ? 0 : Math.ceil(costOf({ input: tokens, output: 0 }, price) * 1e6)
  const taken = new KeyCharge(context, tenant, { requests: 1, tokens, money })
  context.charge = taken
  return taken.begin()
}

const words: { readonly [What in keyof Use]: (amount: number) => string } = {
  requests: amount => `${amount} requests`,
  tokens: amount => `${amount} tokens`,
  money: amount => `${amount / 1e6} US dollars`,
}

/** Of several limits, the one that takes longest to begin anew. */
function refusal(name: string, reached: readonly KeyLimit[], now: number): GatewayError {
  const [worst] = [...reached].sort((a, b) => resetMs(b, now) - resetMs(a, now))
  if (worst === undefined) throw new TypeError('No limit is reached.')
  const wait = resetMs(worst, now)
  const seconds = Math.ceil(wait / 1000)
  const limit = words[worst.what](worst.most)
  if (worst.isBudget) {
    return new GatewayError(
      'billing',
      `The key "${name}" has used up its budget of ${limit} a day. It begins anew at ${timeText(now + wait)}.`,
      {
        code: 'insufficient_quota',
        status: 429,
        // Known clients try a 429 again several times, whatever it is about, unless they are told not to.
        headers: { 'retry-after': String(seconds), 'x-should-retry': 'false' },
      },
    )
  }
  return new GatewayError(
    'rate_limit',
    `The key "${name}" has reached its limit of ${limit} a minute. Please try again in ${seconds}s.`,
    {
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': String(seconds), 'retry-after-ms': String(Math.min(wait, longestWaitMs)) },
    },
  )
}
