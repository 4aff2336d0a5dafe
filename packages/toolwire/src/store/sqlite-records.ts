/** Records in SQLite. All methods run inside a transaction of `SqliteDatabase`. */
import { isFinished } from './lifecycle.ts'
import type { ItemPart, Joined, RecordHead, RecordKind, Records, StoredItem } from './records.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { bodySum, claimSum, headSum, itemSum, type SealedHead } from './sqlite-seals.ts'
import type { Item, ItemQuery, ResponseKey, ResponseRecord } from './store.ts'
import { damaged } from './store-error.ts'

/** With the checksum of the head, which is `null` for a record of before there were any. */
type HeadRow = SealedHead & RecordHead & { readonly seal: number | null }
type ItemRow = StoredItem & { readonly record: number; readonly owner: string; readonly sum: number | null }

const headQuery = `SELECT number, kind, owner, id, created_at AS createdAt, expires_at AS expiresAt, bytes, status,
  previous_id AS previousId, conversation_id AS conversationId, joined_to AS joinedTo, joined_after AS joinedAfter,
  seals.head AS seal FROM records LEFT JOIN seals ON seals.record = number`
const itemQuery = 'SELECT place AS position, record, owner, id, part, json, sum FROM items'

export class SqliteRecords implements Records {
  readonly #db: SqliteDatabase
  /** Identifies this process in responses that it has not finished. */
  readonly #writer: string

  constructor(db: SqliteDatabase, writer: string) {
    this.#db = db
    this.#writer = writer
  }

  find(kind: RecordKind, owner: string, id: string, now: number): RecordHead | undefined {
    const row = this.#db.one<HeadRow>(
      `${headQuery} WHERE owner = ? AND kind = ? AND id = ? AND expires_at > ?`,
      owner,
      kind,
      id,
      now,
    )
    if (row !== undefined && row.seal !== null && row.seal !== headSum(row)) throw damaged(kind, id)
    return row
  }

  numberOf(kind: RecordKind, owner: string, id: string, now: number): number | undefined {
    return this.#db.one<{ number: number }>(
      'SELECT number FROM records WHERE owner = ? AND kind = ? AND id = ? AND expires_at > ?',
      owner,
      kind,
      id,
      now,
    )?.number
  }

  body(number: number): string {
    const row = this.#db.one<{ kind: string; id: string; body: string; seal: number | null }>(
      `SELECT kind, id, records.body, seals.body AS seal FROM records LEFT JOIN seals ON record = number
       WHERE number = ?`,
      number,
    )
    if (row === undefined) return ''
    if (row.seal !== null && row.seal !== bodySum(row.body)) throw damaged(row.kind, row.id)
    return row.body
  }

  remove(number: number): void {
    this.#db.run('DELETE FROM records WHERE number = ?', number)
  }

  /**
   * As if it had expired long ago. On a full disk this is possible where removing a long text is not, for that overwrites
   * it. The time has as many bytes as any of today, so that SQLite writes only the page with it.
   */
  hide(number: number): void {
    this.#db.run('DELETE FROM seals WHERE record = ?', number)
    this.#db.run('UPDATE records SET expires_at = ? WHERE number = ?', 2 ** 31, number)
  }

  hasMoreItems(number: number, count: number): boolean {
    const row = this.#db.one('SELECT 1 FROM items WHERE record = ? LIMIT 1 OFFSET ?', number, count)
    return row !== undefined
  }

  bury(number: number, now: number): void {
    this.#db.run(
      `INSERT OR REPLACE INTO graves (owner, id, writer, at)
       SELECT owner, id, writer, ? FROM records WHERE number = ?`,
      now,
      number,
    )
  }

  isBuried(owner: string, id: string): boolean {
    return this.#db.one('SELECT 1 FROM graves WHERE owner = ? AND id = ?', owner, id) !== undefined
  }

  requestStop(number: number): void {
    this.#db.run('INSERT OR IGNORE INTO stops (record) VALUES (?)', number)
  }

  toStop(now: number): readonly ResponseKey[] {
    return this.#db
      .all<ResponseKey>(
        `SELECT owner, id FROM records JOIN stops ON record = number WHERE writer = ? AND expires_at > ?
         UNION ALL SELECT owner, id FROM graves WHERE writer = ?`,
        this.#writer,
        now,
        this.#writer,
      )
      .map(({ owner, id }) => ({ owner, id }))
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
    this.#insertItems(number, record.owner, 'input', record.input)
    this.#insertItems(number, record.owner, 'output', record.output)
    const { previousId = null, conversationId = null, input, output } = record
    const head = { ...record, ...joined, kind: 'response', bytes, previousId, conversationId } as const
    this.#db.run(
      'INSERT OR REPLACE INTO seals (record, head, body, items) VALUES (?, ?, ?, ?)',
      number,
      headSum(head),
      bodySum(record.response),
      input.length + output.length,
    )
  }

  touch(number: number, bytes: number, expiresAt: number): void {
    this.#db.run(
      'UPDATE records SET bytes = ?, expires_at = ?, written = ? WHERE number = ?',
      bytes,
      expiresAt,
      this.#nextWrite(),
      number,
    )
    this.#sealConversation(number)
  }

  writeBody(number: number, body: string): void {
    this.#db.run('UPDATE records SET body = ? WHERE number = ?', body, number)
    this.#sealConversation(number)
  }

  addItems(record: number, owner: string, part: ItemPart, items: readonly Item[]): void {
    this.#insertItems(record, owner, part, items)
    this.#db.run('UPDATE seals SET items = items + ? WHERE record = ?', items.length, record)
  }

  #insertItems(record: number, owner: string, part: ItemPart, items: readonly Item[]): void {
    for (const item of items) {
      this.#db.run(
        'INSERT INTO items (record, owner, id, part, json, sum) VALUES (?, ?, ?, ?, ?, ?)',
        record,
        owner,
        item.id,
        part,
        item.json,
        itemSum(record, owner, part, item),
      )
    }
  }

  removeItem(record: number, { position }: StoredItem): void {
    this.#db.run('DELETE FROM items WHERE place = ?', position)
    this.#db.run('UPDATE seals SET items = items - 1 WHERE record = ?', record)
  }

  lastPosition(): number {
    return this.#db.one<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'items'")?.seq ?? 0
  }

  items(record: number, upTo?: number): readonly StoredItem[] {
    const rows = this.#db.all<ItemRow>(
      `${itemQuery} WHERE record = ? AND place <= ? ORDER BY place`,
      record,
      upTo ?? Number.MAX_SAFE_INTEGER,
    )
    const rest = upTo === undefined ? 0 : this.#count(record, upTo)
    this.#checkCount(record, items => items === rows.length + rest)
    return checkedInOrder(rows, 'asc')
  }

  findItem(record: number, owner: string, id: string): StoredItem | undefined {
    const row = this.#db.one<ItemRow>(
      `${itemQuery} WHERE owner = ? AND id = ? AND record = ?`,
      owner,
      id,
      record,
    )
    return row && checked(row)
  }

  page(record: number, after: number | undefined, limit: number, order: ItemQuery['order']): readonly Item[] {
    const rows =
      order === 'asc'
        ? this.#db.all<ItemRow>(
            `${itemQuery} WHERE record = ? AND place > ? ORDER BY place ASC LIMIT ?`,
            record,
            after ?? 0,
            limit,
          )
        : this.#db.all<ItemRow>(
            `${itemQuery} WHERE record = ? AND place < ? ORDER BY place DESC LIMIT ?`,
            record,
            after ?? Number.MAX_SAFE_INTEGER,
            limit,
          )
    // Once is enough: whoever reads on began with the first page.
    if (after === undefined) {
      const all = this.#count(record, 0)
      this.#checkCount(record, items => items === all && rows.length === Math.min(limit, items))
    }
    return checkedInOrder(rows, order)
  }

  // `octet_length` knows the size from the head of a row; `length` would read and count the text.
  pageBytes(record: number, after: number | undefined, limit: number, order: ItemQuery['order']): number {
    const places = order === 'asc' ? 'place > ? ORDER BY place ASC' : 'place < ? ORDER BY place DESC'
    const first = after ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER)
    const row = this.#db.one<{ bytes: number | null }>(
      `SELECT sum(size) AS bytes FROM (SELECT octet_length(json) AS size FROM items WHERE record = ? AND ${places} LIMIT ?)`,
      record,
      first,
      limit,
    )
    return row?.bytes ?? 0
  }

  itemBytes(owner: string, id: string, now: number): number {
    const row = this.#db.one<{ bytes: number }>(
      `SELECT octet_length(items.json) AS bytes FROM items JOIN records ON records.number = items.record
       WHERE items.owner = ? AND items.id = ? AND records.expires_at > ? ORDER BY place DESC LIMIT 1`,
      owner,
      id,
      now,
    )
    return row?.bytes ?? 0
  }

  newestItem(owner: string, id: string, now: number): Item | undefined {
    const row = this.#db.one<ItemRow>(
      `${itemQuery} WHERE owner = ? AND id = ?
       AND (SELECT expires_at FROM records WHERE number = record) > ? ORDER BY place DESC LIMIT 1`,
      owner,
      id,
      now,
    )
    return row && checked(row)
  }

  secret(name: string): string | undefined {
    const row = this.#db.one<{ value: string; sum: number }>(
      'SELECT value, sum FROM secrets WHERE name = ?',
      name,
    )
    if (row !== undefined && row.sum !== bodySum(row.value)) throw damaged('secret', name)
    return row?.value
  }

  writeSecret(name: string, value: string): void {
    this.#db.run('INSERT INTO secrets (name, value, sum) VALUES (?, ?, ?)', name, value, bodySum(value))
  }

  claim(holder: string, id: string, owner: string, expiresAt: number): void {
    this.#db.run(
      'INSERT OR REPLACE INTO claims (holder, id, owner, expires_at, sum) VALUES (?, ?, ?, ?, ?)',
      holder,
      id,
      owner,
      expiresAt,
      claimSum(holder, id, owner, expiresAt),
    )
  }

  ownerOf(holder: string, id: string, now: number): string | undefined {
    const row = this.#db.one<{ owner: string; expiresAt: number; sum: number | null }>(
      `SELECT owner, expires_at AS expiresAt, sum FROM claims WHERE holder = ? AND id = ? AND expires_at > ?`,
      holder,
      id,
      now,
    )
    if (row === undefined) return undefined
    const { owner, expiresAt, sum } = row
    if (sum !== null && sum !== claimSum(holder, id, owner, expiresAt)) throw damaged('claim', id)
    return owner
  }

  #nextWrite(): number {
    const row = this.#db.one<{ writes: number }>(
      'UPDATE totals SET writes = writes + 1 WHERE one = 1 RETURNING writes',
    )
    return row?.writes ?? 0
  }

  /** Its text is short. The number of its items is kept up where they are added and removed. */
  #sealConversation(number: number): void {
    const head = this.#db.one<HeadRow>(`${headQuery} WHERE number = ?`, number)
    const row = this.#db.one<{ body: string }>('SELECT body FROM records WHERE number = ?', number)
    if (head === undefined || row === undefined) return
    const sums = [headSum(head), bodySum(row.body), number] as const
    if (this.#db.run('UPDATE seals SET head = ?, body = ? WHERE record = ?', ...sums) > 0) return
    this.#db.run(
      'INSERT INTO seals (head, body, record, items) VALUES (?, ?, ?, (SELECT count(*) FROM items WHERE record = ?))',
      ...sums,
      number,
    )
  }

  #count(record: number, after: number): number {
    const sql = 'SELECT count(*) AS count FROM items WHERE record = ? AND place > ?'
    return this.#db.one<{ count: number }>(sql, record, after)?.count ?? 0
  }

  /** A damaged file may have lost an item, and no other item shows it. */
  #checkCount(record: number, isComplete: (items: number) => boolean): void {
    const seal = this.#db.one<{ items: number }>('SELECT items FROM seals WHERE record = ?', record)
    if (seal === undefined || isComplete(seal.items)) return
    const row = this.#db.one<{ kind: string; id: string }>(
      'SELECT kind, id FROM records WHERE number = ?',
      record,
    )
    throw damaged(row?.kind ?? 'record', row?.id ?? '')
  }
}

function checkedInOrder(rows: readonly ItemRow[], order: ItemQuery['order']): readonly StoredItem[] {
  let last = order === 'asc' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  for (const { position, id } of rows) {
    if (order === 'asc' ? position <= last : position >= last) throw damaged('item', id)
    last = position
  }
  return rows.map(checked)
}

function checked(row: ItemRow): StoredItem {
  const { record, owner, part, sum, id } = row
  if (sum !== null && sum !== itemSum(record, owner, part, row)) throw damaged('item', id)
  return row
}
