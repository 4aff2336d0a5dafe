/**
 * The counters of keys, in the store that gateways share. This gateway also counts for itself: when the store is away, a
 * key is held to what it has used here, and the store gets to know it later.
 */
import type { Clock } from '../../platform/clock.ts'
import { MemoryCounts } from '../../store/counts/memory-counts.ts'
import type { CountChange, Counts, Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'

export type CountStore = Required<Pick<Store, 'addCounts'>>

/** What becomes of requests while the store is away: they are counted here alone, or refused. */
export type WithoutStore = 'local' | 'refuse'

/** A request waits no longer for its counters. */
const longestWaitMs = 1_000
/** So long a store that failed is not asked again. */
const pauseMs = 1_000

export class KeyCounters {
  readonly #store: CountStore | undefined
  readonly #clock: Clock
  readonly #own = new MemoryCounts()
  #awayUntil = Number.NEGATIVE_INFINITY
  /** What the store does not know yet, by owner and name. */
  readonly #owed = new Map<string, Map<string, CountChange>>()

  constructor(store: CountStore | undefined, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects with a `StoreError` only where the store must be asked. */
  async add(owner: string, changes: readonly CountChange[], without: WithoutStore): Promise<Counts> {
    const store = this.#store
    if (store === undefined) return this.#own.add(owner, changes, this.#clock.date())
    const attempt = this.#ask(store, owner, changes)
    try {
      const counts = await this.#within(attempt)
      if (counts.isAdded) this.#own.add(owner, changes.map(unlimited), this.#clock.date())
      if (this.#owed.size > 0) this.#pay(store)
      return counts
    } catch (error) {
      this.#awayUntil = Math.max(this.#awayUntil, this.#clock.now() + pauseMs)
      const mayGoOn = without === 'local' && error instanceof StoreError
      const counts = mayGoOn ? this.#own.add(owner, changes, this.#clock.date()) : undefined
      void this.#correct(attempt, owner, changes, counts?.isAdded === true)
      if (counts === undefined) throw error
      return counts
    }
  }

  async #ask(store: CountStore, owner: string, changes: readonly CountChange[]): Promise<Counts> {
    if (this.#clock.now() >= this.#awayUntil) return store.addCounts(owner, changes)
    throw new StoreError('unavailable', 'It did not answer a moment ago.')
  }

  /** The store may have counted after all, or not what was let in here. */
  async #correct(
    attempt: Promise<Counts>,
    owner: string,
    changes: readonly CountChange[],
    isAdded: boolean,
  ): Promise<void> {
    const isCounted = await attempt.then(
      counts => counts.isAdded,
      () => false,
    )
    if (isCounted === isAdded) return
    this.#owe(owner, isAdded ? changes : changes.map(change => ({ ...change, by: -change.by })))
  }

  #within<T>(attempt: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onLate = (): void =>
        reject(new StoreError('busy', `It did not answer within ${longestWaitMs} ms.`))
      const cancel = this.#clock.after(longestWaitMs, onLate)
      attempt.then(resolve, reject).finally(cancel)
    })
  }

  #owe(owner: string, changes: readonly CountChange[]): void {
    const owed = this.#owed.get(owner) ?? new Map<string, CountChange>()
    this.#owed.set(owner, owed)
    for (const change of changes) {
      owed.set(change.name, unlimited({ ...change, by: change.by + (owed.get(change.name)?.by ?? 0) }))
    }
  }

  #pay(store: CountStore): void {
    const owed = [...this.#owed]
    this.#owed.clear()
    const now = this.#clock.date()
    for (const [owner, byName] of owed) {
      const changes = [...byName.values()].filter(({ expiresAt, by }) => expiresAt > now && by !== 0)
      if (changes.length > 0) store.addCounts(owner, changes).catch(() => this.#owe(owner, changes))
    }
  }
}

function unlimited({ most: _, ...change }: CountChange): CountChange {
  return change
}
