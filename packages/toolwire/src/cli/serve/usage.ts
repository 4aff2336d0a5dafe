/** What a running gateway uses and what that costs: noted for each exchange, added up, and kept in the store. */
import { costOf, hostAt, type Price, priceOf } from '@toolwire/core/presets'
import type { Settings } from '../../config/config.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { hourMs } from '../../platform/usage-row.ts'
import type { Observer, UsageReader } from '../../telemetry/observer.ts'
import { onEnd } from '../../telemetry/observer.ts'
import { flushUsage, readUsage, type UsageKeeper, UsageLedger } from '../../telemetry/usage-ledger.ts'
import type { Environment } from './environment.ts'

export interface UsageKeeping {
  /** To be the first of all: the others see the cost. */
  readonly pricing: Observer
  readonly observer: Observer
  readonly read: UsageReader
  /** Writes what is left, once no exchange is. */
  close(): Promise<void>
}

/** What a crash may lose. */
const flushMs = 10_000

export function keepUsage(
  { prices }: Pick<Settings, 'prices'>,
  upstreams: readonly Upstream[],
  keeper: UsageKeeper | undefined,
  { every }: Pick<Environment, 'every'>,
): UsageKeeping {
  // A host's prices hold only at the host itself: another server may give its models any name.
  const hostOf = new Map(upstreams.map(({ name, baseUrl }) => [name, hostAt(baseUrl)?.name]))
  const priceAt = (model: string, upstream: string): Price | undefined =>
    priceOf(model, hostOf.get(upstream), prices)
  const ledger = new UsageLedger()
  const flush = (): Promise<void> => flushUsage(ledger, keeper)
  const stop = keeper?.addUsage === undefined ? () => {} : every(flushMs, () => void flush())
  return {
    pricing: onEnd(facts => () => {
      const { usage, model, upstreamModel = model, upstream = '' } = facts
      if (usage === undefined || upstreamModel === undefined) return
      const price = priceAt(upstreamModel, upstream)
      if (price !== undefined) facts.cost = costOf(usage, price)
    }),
    observer: ledger.observer,
    async read(since, owner) {
      const rows = await readUsage(ledger, keeper, Math.floor(since / hourMs), owner)
      return rows.map(({ hour: _, ...row }) => ({ ...row, price: priceAt(row.model, row.upstream) ?? null }))
    },
    async close() {
      stop()
      await flush()
    },
  }
}
