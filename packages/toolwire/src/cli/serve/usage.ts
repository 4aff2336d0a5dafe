/** What a running gateway uses and what that costs: noted for each exchange, added up, and kept in the store. */
import { costOf, type Price } from '@toolwire/core/presets'
import type { Settings } from '../../config/config.ts'
import { createPriceFinder, type PriceFinder } from '../../gateway/tenants/prices.ts'
import { ownerNames } from '../../gateway/tenants/tenants.ts'
import { hourMs, type UsageRow } from '../../platform/usage-row.ts'
import type { ExchangeFacts, FactsObserver, UsageReader } from '../../telemetry/observer.ts'
import { flushUsage, readUsage, type UsageKeeper, UsageLedger } from '../../telemetry/usage-ledger.ts'
import type { Peers } from '../cluster/peers.ts'
import type { Environment } from './environment.ts'

export interface UsageKeeping {
  /** To be the first of all: the others see the cost. */
  readonly pricing: FactsObserver
  readonly observer: FactsObserver
  readonly read: UsageReader
  /** What is noted and not yet given to the store. */
  rows(): readonly UsageRow[]
  /** Writes what is left, once no exchange is. */
  close(): Promise<void>
}

/** What a crash may lose. */
const flushMs = 10_000

/** `current`: the settings, which may change while the gateway runs. */
export function keepUsage(
  current: () => Pick<Settings, 'prices' | 'tenants' | 'upstreams'>,
  keeper: UsageKeeper | undefined,
  { every }: Pick<Environment, 'every'>,
  peers?: Peers,
): UsageKeeping {
  let known = current()
  let findPrice = createPriceFinder(known.upstreams, known.prices)
  const priceAt: PriceFinder = (model, upstream) => {
    if (known !== current()) {
      known = current()
      findPrice = createPriceFinder(known.upstreams, known.prices)
    }
    return findPrice(model, upstream)
  }
  const ledger = new UsageLedger()
  /** What other processes have noted and not yet given to the store. */
  const ofOthers = async (): Promise<UsageRow[]> =>
    ((await peers?.askOthers('usage-rows')) ?? []).flatMap(rows => rows as UsageRow[])
  const flush = (): Promise<void> => flushUsage(ledger, keeper)
  const stop = keeper?.addUsage === undefined ? () => {} : every(flushMs, () => void flush())
  return {
    pricing: {
      ended(facts) {
        const { usage, model, upstreamModel = model, upstream = '' } = facts
        if (usage === undefined || upstreamModel === undefined) return
        const price = priceAt(upstreamModel, upstream)
        if (price === undefined) return
        facts.cost = costOf(usage, price)
        facts.inputCost = costOf({ ...usage, output: 0 }, price)
        if (usage.cacheRead) facts.cachedCost = cachedCostOf({ ...usage, cacheRead: usage.cacheRead }, price)
      },
    },
    observer: ledger.observer,
    rows: () => ledger.rows(),
    async read(since, owner) {
      const noted = [...ledger.rows(), ...(await ofOthers())]
      const rows = await readUsage(noted, keeper, Math.floor(since / hourMs), owner)
      const nameOf = ownerNames(current().tenants)
      return rows.map(({ hour: _, ...row }) => ({
        ...row,
        owner: nameOf(row.owner),
        price: priceAt(row.model, row.upstream) ?? null,
      }))
    },
    async close() {
      stop()
      await flush()
    },
  }
}

/** A price may have other rates for long inputs, so that the rates are found by comparing. */
function cachedCostOf(
  usage: NonNullable<ExchangeFacts['usage']> & { readonly cacheRead: number },
  price: Price,
): number {
  const { input, cacheRead, cacheWrite = 0 } = usage
  const costWith = (cached: number): number =>
    costOf({ input, output: 0, cacheRead: cached, cacheWrite }, price)
  const freshRate = costOf({ input, output: 0 }, price) / Math.max(1, input)
  return costWith(cacheRead) - costWith(0) + cacheRead * freshRate
}
