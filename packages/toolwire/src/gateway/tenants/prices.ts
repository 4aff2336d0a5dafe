/** What the tokens of an upstream cost. */
import { hostAt, type Price, priceOf } from '@toolwire/core/presets'
import type { Upstream } from '../settings.ts'

export type PriceFinder = (model: string, upstream: string) => Price | undefined

/** A host's prices hold only at the host itself: another server may give its models any name. */
export function createPriceFinder(
  upstreams: readonly Pick<Upstream, 'name' | 'baseUrl'>[],
  prices: readonly Price[],
): PriceFinder {
  const hostOf = new Map(upstreams.map(({ name, baseUrl }) => [name, hostAt(baseUrl)?.name]))
  // Asked for every exchange, and mostly for the same few models.
  const known = new Map<string, Map<string, Price | undefined>>()
  return (model, upstream) => {
    const found = known.get(upstream) ?? new Map<string, Price | undefined>()
    if (found.has(model)) return found.get(model)
    const price = priceOf(model, hostOf.get(upstream), prices)
    if (found.size >= mostKnown) found.clear()
    known.set(upstream, found.set(model, price))
    return price
  }
}

const mostKnown = 200
