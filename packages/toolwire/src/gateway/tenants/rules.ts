/** What a key may use, and what one request takes of it. */
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { KeyCounters, WithoutStore } from './key-counters.ts'
import type { KeyLimit } from './key-limits.ts'
import type { PriceFinder } from './prices.ts'

export interface TenantRules {
  readonly name: string
  readonly limits: readonly KeyLimit[]
  /** Its tokens or its money are limited, so that what it uses must be known. */
  readonly isMetered: boolean
  /** Only some models are allowed. */
  readonly hasModels: boolean
  readonly priceAt: PriceFinder
  allowsModel(model: string): boolean
  allowsUpstream(name: string): boolean
  /** Money is limited, and nobody knows what this would cost. */
  lacksPrice(destination: Destination): boolean
}

export interface Tenants {
  readonly counters: KeyCounters
  readonly withoutStore: WithoutStore
  /** By the share of the limits that a request uses. */
  of(share: string): TenantRules | undefined
}

/** What a request has taken, from when it is let in. */
export interface Charge {
  /** The answer goes on after the client's own request has been answered. */
  isDetached: boolean
  /** The length of an answer that states no usage. */
  unstatedBytes: number
  /** Counts what was used beyond the estimate, or gives back what was not. Nobody waits for it. */
  settle(facts: ExchangeFacts): void
}
