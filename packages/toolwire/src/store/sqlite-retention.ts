/** What may not stay: first what has expired, then what is over the limits. Inside write transactions. */
import type { SqliteDatabase } from './sqlite-database.ts'
import type { Limits } from './store.ts'

/** How many expired records a write takes along, so that the file shrinks even when nobody sweeps. */
const ALONG_WITH_A_WRITE = 16

export class SqliteRetention {
  readonly #db: SqliteDatabase
  readonly #limits: Limits

  constructor(db: SqliteDatabase, limits: Limits) {
    this.#db = db
    this.#limits = limits
  }

  afterWrite(now: number): void {
    this.removeExpired(now, ALONG_WITH_A_WRITE)
    while (this.trim(now, ALONG_WITH_A_WRITE) > 0);
  }

  removeExpired(now: number, most: number): number {
    return this.#db.run(
      `DELETE FROM records WHERE number IN
       (SELECT number FROM records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      now,
      most,
    )
  }

  /** At most so many records, and none that may stay. */
  trim(now: number, most: number): number {
    if (!this.#isOver()) return 0
    const expired = this.removeExpired(now, most)
    if (expired > 0) return expired
    let removed = 0
    while (removed < most && this.#isOver()) removed += this.#removeOldest()
    return removed
  }

  /** Gives free pages back to the disk. */
  scrub(): void {
    this.#db.all('PRAGMA incremental_vacuum(1000)')
    this.emptyLog()
  }

  /** Deleted text would live on in the log. While another process reads, it has to wait for the next time. */
  emptyLog(): void {
    this.#db.all('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  #removeOldest(): number {
    return this.#db.run(
      'DELETE FROM records WHERE number = (SELECT number FROM records ORDER BY written LIMIT 1)',
    )
  }

  #isOver(): boolean {
    const totals = this.#db.one<{ records: number; bytes: number }>('SELECT records, bytes FROM totals')
    if (totals === undefined) return false
    return totals.records > this.#limits.maxRecords || totals.bytes > this.#limits.maxBytes
  }
}
