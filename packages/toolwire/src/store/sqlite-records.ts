/** Records in SQLite. All methods run inside a transaction of `SqliteDatabase`. */
import { byteLength } from './checks.ts'
import { failedByRestart, isFinished } from './lifecycle.ts'
import type { ItemPart, Joined, RecordHead, RecordKind, Records, StoredItem } from './records.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { Item, ItemQuery, ResponseRecord } from './store.ts'

const headColumns = `number, created_at AS createdAt, expires_at AS expiresAt, bytes, status, previous_id AS previousId,
  conversation_id AS conversationId, joined_to AS joinedTo, joined_after AS joinedAfter`
const itemColumns = 'place AS position, id, part, json'

export class SqliteRecords implements Records {
  readonly #db: SqliteDatabase
  /** Identifies this process in responses that it has not finished. */
  readonly #writer: string

  constructor(db: SqliteDatabase, writer: string) {
    this.#db = db
    this.#writer = writer
  }

  find(kind: RecordKind, owner: string, id: string, now: number): RecordHead | undefined {
    return this.#db.one<RecordHead>(
      `SELECT ${headColumns} FROM records WHERE owner = ? AND kind = ? AND id = ? AND expires_at > ?`,
      owner,
      kind,
      id,
      now,
    )
  }

  body(number: number): string {
    return this.#db.one<{ body: string }>('SELECT body FROM records WHERE number = ?', number)?.body ?? ''
  }

  remove(number: number): void {
    this.#db.run('DELETE FROM records WHERE number = ?', number)
  }

  create(kind: RecordKind, owner: string, id: string, createdAt: number, expiresAt: number): number {
    this.#db.run('DELETE FROM records WHERE owner = ? AND kind = ? AND id = ?', owner, kind, id)
    return this.#db.insert(
      `INSERT INTO records (owner, kind, id, created_at, expires_at, written, bytes, body)
       VALUES (?, ?, ?, ?, ?, ?, 0, '')`,
      owner,
      kind,
      id,
      createdAt,
      expiresAt,
      this.#nextWrite(),
    )
  }

  writeResponse(number: number, record: ResponseRecord, bytes: number, joined: Joined): void {
    this.#db.run(
      `UPDATE records SET created_at = ?, expires_at = ?, written = ?, bytes = ?, status = ?, previous_id = ?,
       conversation_id = ?, joined_to = ?, joined_after = ?, writer = ?, body = ? WHERE number = ?`,
      record.createdAt,
      record.expiresAt,
      this.#nextWrite(),
      bytes,
      record.status,
      record.previousId ?? null,
      record.conversationId ?? null,
      joined.joinedTo,
      joined.joinedAfter,
      isFinished(record.status) ? null : this.#writer,
      record.response,
      number,
    )
    this.#db.run('DELETE FROM items WHERE record = ?', number)
    this.addItems(number, record.owner, 'input', record.input)
    this.addItems(number, record.owner, 'output', record.output)
  }

  touch(number: number, bytes: number, expiresAt: number): void {
    this.#db.run(
      'UPDATE records SET bytes = ?, expires_at = ?, written = ? WHERE number = ?',
      bytes,
      expiresAt,
      this.#nextWrite(),
      number,
    )
  }

  writeBody(number: number, body: string): void {
    this.#db.run('UPDATE records SET body = ? WHERE number = ?', body, number)
  }

  addItems(record: number, owner: string, part: ItemPart, items: readonly Item[]): void {
    for (const { id, json } of items) {
      this.#db.run(
        'INSERT INTO items (record, owner, id, part, json) VALUES (?, ?, ?, ?, ?)',
        record,
        owner,
        id,
        part,
        json,
      )
    }
  }

  removeItem(_record: number, { position }: StoredItem): void {
    this.#db.run('DELETE FROM items WHERE place = ?', position)
  }

  lastPosition(): number {
    return this.#db.one<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'items'")?.seq ?? 0
  }

  items(record: number, upTo: number = Number.MAX_SAFE_INTEGER): StoredItem[] {
    return this.#db.all<StoredItem>(
      `SELECT ${itemColumns} FROM items WHERE record = ? AND place <= ? ORDER BY place`,
      record,
      upTo,
    )
  }

  findItem(record: number, owner: string, id: string): StoredItem | undefined {
    return this.#db.one<StoredItem>(
      `SELECT ${itemColumns} FROM items WHERE owner = ? AND id = ? AND record = ?`,
      owner,
      id,
      record,
    )
  }

  page(record: number, after: number | undefined, limit: number, order: ItemQuery['order']): Item[] {
    return order === 'asc'
      ? this.#db.all<Item>(
          'SELECT id, json FROM items WHERE record = ? AND place > ? ORDER BY place ASC LIMIT ?',
          record,
          after ?? 0,
          limit,
        )
      : this.#db.all<Item>(
          'SELECT id, json FROM items WHERE record = ? AND place < ? ORDER BY place DESC LIMIT ?',
          record,
          after ?? Number.MAX_SAFE_INTEGER,
          limit,
        )
  }

  newestItem(owner: string, id: string, now: number): Item | undefined {
    return this.#db.one<Item>(
      `SELECT items.id, items.json FROM items JOIN records ON records.number = items.record
       WHERE items.owner = ? AND items.id = ? AND records.expires_at > ? ORDER BY place DESC LIMIT 1`,
      owner,
      id,
      now,
    )
  }

  claim(holder: string, id: string, owner: string, expiresAt: number): void {
    this.#db.run(
      'INSERT OR REPLACE INTO claims (holder, id, owner, expires_at) VALUES (?, ?, ?, ?)',
      holder,
      id,
      owner,
      expiresAt,
    )
  }

  ownerOf(holder: string, id: string, now: number): string | undefined {
    return this.#db.one<{ owner: string }>(
      'SELECT owner FROM claims WHERE holder = ? AND id = ? AND expires_at > ?',
      holder,
      id,
      now,
    )?.owner
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

  removeExpired(now: number, limit: number): number {
    return this.#db.run(
      `DELETE FROM records WHERE number IN
       (SELECT number FROM records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      now,
      limit,
    )
  }

  removeOldest(): number {
    return this.#db.run(
      'DELETE FROM records WHERE number = (SELECT number FROM records ORDER BY written LIMIT 1)',
    )
  }

  totals(): { readonly records: number; readonly bytes: number } {
    return this.#db.one('SELECT records, bytes FROM totals') ?? { records: 0, bytes: 0 }
  }

  unfinishedWriters(): string[] {
    return this.#db
      .all<{ writer: string }>('SELECT DISTINCT writer FROM records WHERE writer IS NOT NULL')
      .map(({ writer }) => writer)
  }

  /** Marks the responses that a process did not finish as failed. */
  failUnfinished(writer: string): void {
    for (const row of this.#db.all<{ number: number }>(
      'SELECT number FROM records WHERE writer = ?',
      writer,
    )) {
      const before = this.body(row.number)
      const after = failedByRestart(before)
      this.#db.run(
        "UPDATE records SET status = 'failed', writer = NULL, body = ?, bytes = bytes + ? WHERE number = ?",
        after,
        byteLength(after) - byteLength(before),
        row.number,
      )
    }
  }

  #nextWrite(): number {
    const row = this.#db.one<{ writes: number }>(
      'UPDATE totals SET writes = writes + 1 WHERE one = 1 RETURNING writes',
    )
    return row?.writes ?? 0
  }
}
