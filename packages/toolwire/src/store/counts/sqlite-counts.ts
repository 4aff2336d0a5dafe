/** Counters in an SQLite file. All functions run inside a transaction of `SqliteDatabase`. */
import { checkCounts } from '../checks.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'
import type { CountChange, Counts } from '../store.ts'

export function addCounts(
  db: SqliteDatabase,
  owner: string,
  changes: readonly CountChange[],
  now: number,
): Counts {
  checkCounts(owner, changes)
  const find = 'SELECT value FROM counts WHERE owner = ? AND name = ? AND expires_at > ?'
  const amountOf = (name: string): number => db.one<{ value: number }>(find, owner, name, now)?.value ?? 0
  const isAdded = changes.every(({ name, most }) => most === undefined || amountOf(name) < most)
  if (isAdded) {
    for (const { name, by, expiresAt } of changes) {
      db.run(
        `INSERT INTO counts (owner, name, value, expires_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
        owner,
        name,
        Math.max(0, amountOf(name) + by),
        expiresAt,
      )
    }
  }
  return { isAdded, values: changes.map(({ name }) => amountOf(name)) }
}

export function trimCounts(db: SqliteDatabase, now: number): void {
  db.run('DELETE FROM counts WHERE expires_at <= ?', now)
}
