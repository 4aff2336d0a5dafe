/** What the parts of a simulation share. Actors, faults and checks are small modules, listed in their folders. */
import type { TimerGroup } from '../support/soak/clock.ts'
import type { PlanOptions } from '../support/soak/plan.ts'
import type { Random } from '../support/soak/random.ts'
import type { Cluster } from './cluster.ts'
import type { ExchangeState } from './exchange-state.ts'
import type { Ledger } from './ledger.ts'
import type { SharedStore } from './shared-store.ts'

/** Everything about a world follows from its seed. */
export interface Settings extends PlanOptions {
  readonly seed: number
  readonly gateways: number
  /** Clients must present one of the known keys. */
  readonly hasKeys: boolean
  /** How many actors play. */
  readonly scenes: number
  /** The time over which actors begin and faults happen. */
  readonly spreadMs: number
  /** Of each gateway, for everything in flight. */
  readonly memoryBytes: number
  /** How long stored responses live. */
  readonly ttlMs: number
}

export interface World {
  readonly settings: Settings
  /** Timers of everything but the gateways. */
  readonly clock: TimerGroup
  readonly store: SharedStore
  readonly cluster: Cluster
  readonly ledger: Ledger
  readonly exchanges: Map<number, ExchangeState>
  /** Ids under which an upstream holds responses, and who was given them. */
  readonly heldIds: { readonly id: string; readonly owner: number }[]
  /** How often each call of a tool was run, by the token in its arguments. */
  readonly toolRuns: Map<string, number>
  /** What happened, counted: for reports, and to know what may have had a cause. */
  readonly tally: Map<string, number>
  /** The highest value of each counter, such as bytes that wait for one client. */
  readonly peaks: Map<string, number>
  /** Whether faults may still happen. */
  readonly isTroubled: boolean
  /** A number that no exchange has yet. */
  nextNumber(): number
  pause(milliseconds: number): Promise<void>
  count(what: string): void
  peak(counter: string, value: number): void
  /** Adds a line to the log, which is the same in every run of a seed. */
  note(line: string, text?: string): void
  /** Something that must not happen. */
  report(what: string): void
}

/** One who uses the gateways. */
export interface Actor {
  readonly name: string
  /** How often it plays, beside the others. */
  readonly weight: number
  play(world: World, random: Random): Promise<void>
}

/** Something that goes wrong while the world is troubled. */
export interface Fault {
  readonly name: string
  begin(world: World, random: Random): void
}

/** Something that must hold. */
export interface Check {
  readonly name: string
  /** Called after every turn of the event loop. */
  onTurn?(world: World): void
  /** Called when everything has ended. */
  atEnd?(world: World): void
}
