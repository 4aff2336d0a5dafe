/** The store of a gateway: one SQLite file, which several processes may share. */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { checkLimits } from './checks.ts'
import { RecordStore } from './record-store.ts'
import { claimsPerRecord } from './records.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { type Driver, loadDriver } from './sqlite-driver.ts'
import { openFile } from './sqlite-file.ts'
import { Liveness } from './sqlite-liveness.ts'
import { SqliteRecords } from './sqlite-records.ts'
import type { Limits, Store } from './store.ts'
import { StoreError } from './store-error.ts'

export interface SqliteStoreOptions extends Partial<Limits> {
  /** The file. Its folder is created when it is missing. */
  readonly path: string
  readonly now?: () => number
  /** Default `normal`: a crash loses nothing, a power cut at most the last writes. */
  readonly durability?: 'normal' | 'full'
  /** How many milliseconds to wait for other processes. Default 5000. */
  readonly busyTimeout?: number
  readonly driver?: Driver
}

const defaults: Limits = { maxRecords: 1_000_000, maxBytes: 4 * 1024 ** 3 }

/** How many records a sweep deletes before it lets others run. */
const sweepBatch = 200
/** How many expired records a write deletes, so that the file shrinks even when nobody sweeps. */
const writeBatch = 16

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, now = Date.now, durability = 'normal', busyTimeout = 5000 } = options
  const { maxRecords = defaults.maxRecords, maxBytes = defaults.maxBytes } = options
  if (path === '' || path === ':memory:') {
    throw new StoreError('invalid', 'path must name a file. To keep nothing on disk, use the memory store.')
  }
  checkLimits({ maxRecords, maxBytes })
  const driver = options.driver ?? (await loadDriver())
  const db = await openFile(driver, { path, now, durability, busyTimeout })
  const store = new SqliteStore(db, new Liveness(driver, path), now, { maxRecords, maxBytes })
  try {
    await store.begin()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

class SqliteStore extends RecordStore {
  readonly kind = 'sqlite'
  readonly #db: SqliteDatabase
  readonly #liveness: Liveness
  readonly #now: () => number
  readonly #limits: Limits
  readonly #records: SqliteRecords

  constructor(db: SqliteDatabase, liveness: Liveness, now: () => number, limits: Limits) {
    const records = new SqliteRecords(db, liveness.token)
    super(records, limits)
    this.#db = db
    this.#liveness = liveness
    this.#now = now
    this.#limits = limits
    this.#records = records
  }

  async begin(): Promise<void> {
    await this.#db.write(() => {
      this.#liveness.declareAlive()
      this.#failOrphans()
    })
  }

  async sweep(now: number): Promise<number> {
    await this.#db.write(() => this.#failOrphans())
    let removed = 0
    for (let batch = -1; batch !== 0; removed += batch) {
      await letOthersRun()
      batch = await this.#db.write(
        () => this.#records.removeExpired(now, sweepBatch) || this.#trim(now, sweepBatch),
      )
    }
    await this.#sweepClaims(now)
    await this.#db.attempt(() => {
      // Returns free pages to the disk.
      this.#db.all('PRAGMA incremental_vacuum(1000)')
      this.#emptyLog()
    })
    return removed
  }

  /** Those that have expired, and beyond the limit those that expire first. */
  async #sweepClaims(now: number): Promise<void> {
    const remove = async (until: number, limit: number): Promise<number> => {
      await letOthersRun()
      return this.#db.write(() => this.#records.removeExpiredClaims(until, limit))
    }
    while ((await remove(now, sweepBatch)) > 0);
    let excess = this.#records.countClaims() - claimsPerRecord * this.#limits.maxRecords
    while (excess > 0) excess -= await remove(Number.MAX_SAFE_INTEGER, Math.min(excess, sweepBatch))
  }

  /** A write that changes nothing still needs space on the disk. */
  async check(): Promise<void> {
    await this.#db.write(() => this.#db.run('UPDATE totals SET writes = writes'))
  }

  /** Responses that this process has not finished become failed for others. */
  async close(): Promise<void> {
    if (!this.#db.isOpen) return
    try {
      await this.#db.write(() => this.#records.failUnfinished(this.#liveness.token))
      await this.#db.attempt(() => this.#emptyLog())
    } catch {
      // A store that cannot be written must still close. Whoever opens it next finds the lock gone and repairs it.
    } finally {
      this.#liveness.end()
      this.#db.close()
    }
  }

  protected read<T>(act: (now: number) => T): Promise<T> {
    return this.#db.read(() => act(this.#now()))
  }

  protected write<T>(act: (now: number) => T): Promise<T> {
    return this.#db.write(() => {
      const now = this.#now()
      const result = act(now)
      this.#records.removeExpired(now, writeBatch)
      while (this.#trim(now, writeBatch) > 0);
      return result
    })
  }

  /** Removes up to `limit` records while the limits are exceeded: expired ones first, then those written longest ago. */
  #trim(now: number, limit: number): number {
    if (!this.#isOverLimit()) return 0
    const expired = this.#records.removeExpired(now, limit)
    if (expired > 0) return expired
    let removed = 0
    while (removed < limit && this.#isOverLimit()) removed += this.#records.removeOldest()
    return removed
  }

  #isOverLimit(): boolean {
    const { records, bytes } = this.#records.totals()
    return records > this.#limits.maxRecords || bytes > this.#limits.maxBytes
  }

  /** Deleted text would live on in the write-ahead log. While another process reads, this has to wait for the next time. */
  #emptyLog(): void {
    this.#db.all('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  #failOrphans(): void {
    this.#liveness.tidy()
    for (const writer of this.#records.unfinishedWriters()) {
      if (!this.#liveness.isAlive(writer)) this.#records.failUnfinished(writer)
    }
  }
}
