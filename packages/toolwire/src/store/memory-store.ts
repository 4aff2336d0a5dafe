/** A bounded store that lives as long as the process: for tests, and where SQLite is not available (decision 17). */
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import { heapShare } from '../platform/heap.ts'
import { checkLimits } from './checks.ts'
import { MemoryCounts } from './counts/memory-counts.ts'
import { MemoryRecords } from './memory-records.ts'
import { RecordStore } from './record-store.ts'
import type { CountChange, Counts, Limits, Store } from './store.ts'
import { closedError } from './store-error.ts'
import { TrustedTime } from './trusted-time.ts'

/** Limits and clock of a store in memory. */
export interface MemoryStoreOptions extends Partial<Limits> {
  readonly now?: () => number
  /** Milliseconds on a clock that never jumps. By default the system's, or `now` if that is set. */
  readonly elapsed?: () => number
}

/** How many items are deleted before others run. */
const sliceItems = 5_000
const letOthersRun = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))

const defaults = (): Limits => ({ maxRecords: 10_000, maxBytes: heapShare(1 / 8, 256 * 1024 * 1024) })

const known: KnownOptions<MemoryStoreOptions> = {
  maxRecords: true,
  maxBytes: true,
  now: true,
  elapsed: true,
}

/** Makes a store that forgets everything when the process ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  refuseUnknownOptions('createMemoryStore', options, known)
  const { now = Date.now, elapsed = options.now ?? (() => performance.now()), ...limits } = options
  const allLimits = { ...defaults(), ...limits }
  checkLimits(allLimits)
  return new MemoryStore(new MemoryRecords(allLimits), allLimits, now, new TrustedTime(now(), elapsed))
}

class MemoryStore extends RecordStore {
  readonly kind = 'memory'
  readonly #records: MemoryRecords
  readonly #counts = new MemoryCounts()
  readonly #now: () => number
  readonly #trusted: TrustedTime
  #isOpen = true

  constructor(records: MemoryRecords, limits: Limits, now: () => number, trusted: TrustedTime) {
    super(records, limits)
    this.#records = records
    this.#now = now
    this.#trusted = trusted
  }

  async sweep(now: number): Promise<number> {
    await this.check()
    const trusted = this.#trusted.observe(now)
    this.#records.trimClaims(trusted)
    this.#counts.trim(trusted)
    return this.#records.removeExpired(trusted) + this.#records.trim(trusted)
  }

  addCounts(owner: string, changes: readonly CountChange[]): Promise<Counts> {
    return this.read(now => this.#counts.add(owner, changes, now))
  }

  maintain(): Promise<void> {
    return this.check()
  }

  async check(): Promise<void> {
    if (!this.#isOpen) throw closedError()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#records.clear()
    this.#counts.clear()
  }

  protected async read<T>(act: (now: number) => T): Promise<T> {
    if (!this.#isOpen) throw closedError()
    return act(this.#now())
  }

  protected async write<T>(act: (now: number) => T): Promise<T> {
    if (!this.#isOpen) throw closedError()
    const now = this.#now()
    const result = act(now)
    const trusted = this.#trusted.observe(now)
    this.#records.trim(trusted)
    this.#records.trimClaims(trusted)
    return result
  }

  protected shrink<T>(act: (now: number) => T): Promise<T> {
    return this.write(act)
  }

  protected async erase(find: (now: number) => number | undefined, bury: boolean): Promise<boolean> {
    const slices = await this.write(now => {
      const number = find(now)
      if (number === undefined) return undefined
      if (bury) this.#records.bury(number, now)
      const removal = this.#records.removeInSlices(number, sliceItems)
      // The first slice is removed with the record.
      return removal.next().done === true ? [] : removal
    })
    for (const _ of slices ?? []) await letOthersRun()
    return slices !== undefined
  }
}
