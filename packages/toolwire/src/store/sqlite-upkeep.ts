/** What keeps an SQLite file in order besides its operations. All methods run inside a transaction of `SqliteDatabase`. */
import { byteLength } from './checks.ts'
import { failedByRestart } from './lifecycle.ts'
import { graveMs } from './memory-records.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { bodySum, headSum, type SealedHead } from './sqlite-seals.ts'
import type { TrustedMoment } from './trusted-time.ts'

/** How many removed responses are remembered. */
const graveLimit = 100_000

export class SqliteUpkeep {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** Looking takes a tenth of the time of removing nothing. */
  hasExpired(now: number): boolean {
    return this.#db.one('SELECT 1 FROM records WHERE expires_at <= ? LIMIT 1', now) !== undefined
  }

  /** Of up to `limit` expired records, so many items at most. Records that are removed after that take little time. */
  removeExpiredItems(now: number, limit: number, items: number): number {
    return this.#db.run(
      `DELETE FROM items WHERE place IN
       (SELECT place FROM items WHERE record IN
        (SELECT number FROM records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?) LIMIT ?)`,
      now,
      limit,
      items,
    )
  }

  removeExpired(now: number, limit: number): number {
    return this.#db.run(
      `DELETE FROM records WHERE number IN
       (SELECT number FROM records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      now,
      limit,
    )
  }

  /**
   * Removes the record written longest ago of the owner who has most, in records or bytes. Never the record written
   * last: its writer has been promised that it is there.
   */
  removeLeastWanted(by: 'records' | 'bytes'): number {
    const last = 'SELECT max(written) FROM records'
    const largest = `SELECT owner FROM owner_totals ORDER BY ${by} DESC, owner LIMIT 1`
    const removed = this.#db.run(
      `DELETE FROM records WHERE number = (SELECT number FROM records
       WHERE owner = (${largest}) AND written < (${last}) ORDER BY written LIMIT 1)`,
    )
    if (removed > 0) return removed
    return this.#db.run(
      `DELETE FROM records WHERE number = (SELECT number FROM records WHERE written < (${last}) ORDER BY written LIMIT 1)`,
    )
  }

  removeExpiredClaims(now: number, limit: number): number {
    return this.#db.run(
      `DELETE FROM claims WHERE (holder, id) IN
       (SELECT holder, id FROM claims WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      now,
      limit,
    )
  }

  countClaims(): number {
    return this.#db.one<{ count: number }>('SELECT count(*) AS count FROM claims')?.count ?? 0
  }

  removeGraves(now: number): void {
    this.#db.run(
      'DELETE FROM graves WHERE at <= ? OR number <= (SELECT max(number) FROM graves) - ?',
      now - graveMs,
      graveLimit,
    )
  }

  totals(): { readonly records: number; readonly bytes: number } {
    return this.#db.one('SELECT records, bytes FROM totals') ?? { records: 0, bytes: 0 }
  }

  moment(): TrustedMoment | undefined {
    return this.#db.one<TrustedMoment>('SELECT at, doubt_ms AS doubtMs FROM moment')
  }

  writeMoment({ at, doubtMs }: TrustedMoment): void {
    this.#db.run('INSERT OR REPLACE INTO moment VALUES (1, ?, ?)', Math.floor(at), Math.floor(doubtMs))
  }

  unfinishedWriters(): string[] {
    return this.#db
      .all<{ writer: string }>('SELECT DISTINCT writer FROM records WHERE writer IS NOT NULL')
      .map(({ writer }) => writer)
  }

  /** Marks the responses that a process did not finish as failed. */
  failUnfinished(writer: string): void {
    for (const row of this.#db.all<UnfinishedRow>(`${unfinishedQuery} WHERE writer = ?`, writer)) {
      const { number, body, headSeal, bodySeal } = row
      // A damaged text stays one, with the checksum that shows it.
      const isIntact = bodySeal === null || bodySeal === bodySum(body)
      const after = isIntact ? failedByRestart(body) : body
      const bytes = row.bytes + byteLength(after) - byteLength(body)
      this.#db.run(
        "UPDATE records SET status = 'failed', writer = NULL, body = ?, bytes = ? WHERE number = ?",
        after,
        bytes,
        number,
      )
      if (bodySeal === null || headSeal !== headSum(row)) continue
      this.#db.run(
        'UPDATE seals SET head = ?, body = ? WHERE record = ?',
        headSum({ ...row, status: 'failed', bytes }),
        isIntact ? bodySum(after) : bodySeal,
        number,
      )
    }
  }
}

type UnfinishedRow = SealedHead & {
  readonly number: number
  readonly body: string
  readonly headSeal: number | null
  readonly bodySeal: number | null
}

const unfinishedQuery = `SELECT number, kind, owner, id, created_at AS createdAt, expires_at AS expiresAt, bytes, status,
  previous_id AS previousId, conversation_id AS conversationId, joined_to AS joinedTo, joined_after AS joinedAfter,
  records.body, seals.head AS headSeal, seals.body AS bodySeal
  FROM records LEFT JOIN seals ON seals.record = number`
