/** A bounded store that lives as long as the process: for tests, and where SQLite is not available (decision 17). */
import { checkLimits } from './checks.ts'
import { MemoryRecords } from './memory-records.ts'
import { RecordStore } from './record-store.ts'
import type { Limits, Store } from './store.ts'
import { closedError } from './store-error.ts'

export interface MemoryStoreOptions extends Partial<Limits> {
  readonly now?: () => number
}

const defaults: Limits = { maxRecords: 10_000, maxBytes: 256 * 1024 * 1024 }

export function createMemoryStore({ now = Date.now, ...limits }: MemoryStoreOptions = {}): Store {
  const allLimits = { ...defaults, ...limits }
  checkLimits(allLimits)
  return new MemoryStore(new MemoryRecords(allLimits), allLimits, now)
}

class MemoryStore extends RecordStore {
  readonly kind = 'memory'
  readonly #records: MemoryRecords
  readonly #now: () => number
  #isOpen = true

  constructor(records: MemoryRecords, limits: Limits, now: () => number) {
    super(records, limits)
    this.#records = records
    this.#now = now
  }

  async sweep(now: number): Promise<number> {
    await this.check()
    this.#records.trimClaims(now)
    return this.#records.removeExpired(now) + this.#records.trim(now)
  }

  async check(): Promise<void> {
    if (!this.#isOpen) throw closedError()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#records.clear()
  }

  protected async read<T>(act: (now: number) => T): Promise<T> {
    if (!this.#isOpen) throw closedError()
    return act(this.#now())
  }

  protected async write<T>(act: (now: number) => T): Promise<T> {
    if (!this.#isOpen) throw closedError()
    const now = this.#now()
    const result = act(now)
    this.#records.trim(now)
    this.#records.trimClaims(now)
    return result
  }
}
