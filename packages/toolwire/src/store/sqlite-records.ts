/** The rows of the store: what is read and written inside one transaction. */
import { Buffer } from 'node:buffer'
import { weighItems } from './checks.ts'
import { failedByRestart } from './lifecycle.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import type { Item, ItemQuery, ResponseRecord } from './store.ts'

export type Kind = 'response' | 'conversation'
type Part = 'input' | 'output' | 'conversation'

/** A record without its text, which may be long. */
export interface Head {
  readonly number: number
  readonly created_at: number
  readonly expires_at: number
  readonly bytes: number
  readonly status: string | null
  readonly previous_id: string | null
  readonly conversation_id: string | null
  readonly joined_to: number | null
  readonly joined_after: number | null
}

const HEAD =
  'number, created_at, expires_at, bytes, status, previous_id, conversation_id, joined_to, joined_after'

/** What of a response is not in its record: who is making it, and since when it belongs to its conversation. */
export interface ResponseState {
  readonly bytes: number
  readonly writer: string | null
  readonly joinedTo: number | null
  readonly joinedAfter: number | null
}

export class SqliteRecords {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** `undefined` when it has expired. */
  find(kind: Kind, owner: string, id: string, now: number): Head | undefined {
    return this.#db.one<Head>(
      `SELECT ${HEAD} FROM records WHERE owner = ? AND kind = ? AND id = ? AND expires_at > ?`,
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

  /** Puts a row where an expired one may still be. */
  create(kind: Kind, owner: string, id: string, createdAt: number, expiresAt: number, body: string): number {
    this.#db.run('DELETE FROM records WHERE owner = ? AND kind = ? AND id = ?', owner, kind, id)
    return this.#db.insert(
      `INSERT INTO records (owner, kind, id, created_at, expires_at, written, bytes, body)
       VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
      owner,
      kind,
      id,
      createdAt,
      expiresAt,
      this.#nextWrite(),
      body,
    )
  }

  writeResponse(number: number, record: ResponseRecord, state: ResponseState): void {
    this.#db.run(
      `UPDATE records SET created_at = ?, expires_at = ?, written = ?, bytes = ?, status = ?, previous_id = ?,
       conversation_id = ?, joined_to = ?, joined_after = ?, writer = ?, body = ? WHERE number = ?`,
      record.createdAt,
      record.expiresAt,
      this.#nextWrite(),
      state.bytes,
      record.status,
      record.previousId ?? null,
      record.conversationId ?? null,
      state.joinedTo,
      state.joinedAfter,
      state.writer,
      record.response,
      number,
    )
    this.#db.run('DELETE FROM items WHERE record = ?', number)
    this.addItems(number, record.owner, 'input', record.input)
    this.addItems(number, record.owner, 'output', record.output)
  }

  /** Changes what a conversation weighs and when it ends, and makes it the record written last. */
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

  addItems(record: number, owner: string, part: Part, items: readonly Item[]): void {
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

  /** The place of the item written last. */
  lastPlace(): number {
    return this.#db.one<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'items'")?.seq ?? 0
  }

  itemsOf(record: number): (Item & { readonly part: Part })[] {
    return this.#db.all('SELECT id, json, part FROM items WHERE record = ? ORDER BY place', record)
  }

  /** Plain items, up to and with a place. */
  itemsUpTo(record: number, place: number): Item[] {
    return this.#db.all<Item>(
      'SELECT id, json FROM items WHERE record = ? AND place <= ? ORDER BY place',
      record,
      place,
    )
  }

  placeOf(record: number, owner: string, id: string): number | undefined {
    return this.#db.one<{ place: number }>(
      'SELECT place FROM items WHERE owner = ? AND id = ? AND record = ?',
      owner,
      id,
      record,
    )?.place
  }

  itemAt(place: number): Item | undefined {
    return this.#db.one<Item>('SELECT id, json FROM items WHERE place = ?', place)
  }

  /** What it weighed. */
  removeItem(place: number): number {
    const item = this.itemAt(place)
    this.#db.run('DELETE FROM items WHERE place = ?', place)
    return item === undefined ? 0 : weighItems([item])
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

  /** The one written last, in whatever record. */
  newestItem(owner: string, id: string, now: number): Item | undefined {
    return this.#db.one<Item>(
      `SELECT items.id, items.json FROM items JOIN records ON records.number = items.record
       WHERE items.owner = ? AND items.id = ? AND records.expires_at > ? ORDER BY place DESC LIMIT 1`,
      owner,
      id,
      now,
    )
  }

  unfinishedWriters(): string[] {
    return this.#db
      .all<{ writer: string }>('SELECT DISTINCT writer FROM records WHERE writer IS NOT NULL')
      .map(({ writer }) => writer)
  }

  /** What a process that is gone was still making has failed. */
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
        Buffer.byteLength(after) - Buffer.byteLength(before),
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

/** Rows come without a prototype, and some with more columns. */
export const plain = ({ id, json }: Item): Item => ({ id, json })
