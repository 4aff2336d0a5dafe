/** The events of streamed background responses in an SQLite file. All functions but the last run inside a transaction. */
import {
  type EventBatch,
  eventPieceBytes,
  eventsFrom,
  eventsKeptSeconds,
  mostEventBytes,
} from '../shared/event-pieces.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'
import type { NewEvents, Store, StoredEvents } from '../store.ts'
import { leaseLost } from '../store-error.ts'

interface LogRow {
  readonly record: number
  readonly next: number
  readonly isLast: number
  readonly bytes: number
}

/** `writer`: this process. Only the one that began a response writes its events. */
export function appendEvents(
  db: SqliteDatabase,
  [owner, id]: readonly [string, string],
  given: NewEvents,
  writer: string,
  now: number,
): void {
  const record = db.one<{
    number: number
    writer: string | null
    next: number | null
    isOver: number | null
  }>(
    `SELECT number, coalesce(logs.writer, records.writer) AS writer, next, is_last AS isOver FROM records LEFT JOIN logs ON record = number
     WHERE owner = ? AND kind = 'response' AND id = ? AND expires_at > ?`,
    owner,
    id,
    now,
  )
  // A response may end before its first events are written; nobody is noted as its writer then.
  if (record === undefined || (record.writer ?? writer) !== writer) throw leaseLost(id)
  // An append whose answer was lost is sent again, with what came after it.
  const { isLast } = given
  const first = Math.max(given.first, record.next ?? 0)
  const known = first - given.first
  const events = given.events.slice(known)
  if (record.isOver === 1 || (known > 0 && events.length === 0 && !isLast)) return
  const text = events.join('')
  const log = db.one<LogRow>(
    `INSERT INTO logs (record, writer, next, is_last, bytes) VALUES (?, ?, ?, ?, ?) ON CONFLICT (record) DO UPDATE
     SET next = excluded.next, is_last = excluded.is_last, bytes = bytes + excluded.bytes
     RETURNING record, next, is_last AS isLast, bytes`,
    record.number,
    writer,
    first + events.length,
    Number(isLast),
    Buffer.byteLength(text),
  )
  if (events.length === 0) return
  db.run('INSERT INTO events (record, first, at, text) VALUES (?, ?, ?, ?)', record.number, first, now, text)
  dropOldest(db, record.number, first, (log?.bytes ?? 0) - mostEventBytes)
}

/** At least so many bytes, but none of the batch that was just written. */
function dropOldest(db: SqliteDatabase, record: number, before: number, excess: number): void {
  for (let left = excess; left > 0; ) {
    const oldest = db.one<{ first: number; bytes: number }>(
      `SELECT first, length(CAST(text AS BLOB)) AS bytes FROM events WHERE record = ? AND first < ? ORDER BY first LIMIT 1`,
      record,
      before,
    )
    if (oldest === undefined) return
    db.run('DELETE FROM events WHERE record = ? AND first = ?', record, oldest.first)
    db.run('UPDATE logs SET bytes = bytes - ? WHERE record = ?', oldest.bytes, record)
    left -= oldest.bytes
  }
}

export function readEvents(
  db: SqliteDatabase,
  owner: string,
  id: string,
  from: number,
  now: number,
): StoredEvents | 'gone' | undefined {
  const log = db.one<LogRow>(
    `SELECT record, next, is_last AS isLast, logs.bytes FROM logs JOIN records ON number = record
     WHERE owner = ? AND kind = 'response' AND id = ? AND expires_at > ?`,
    owner,
    id,
    now,
  )
  if (log === undefined) return undefined
  const batches: EventBatch[] = []
  const start = db.one<EventBatch>(
    'SELECT first, text FROM events WHERE record = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    log.record,
    from,
  )
  for (let batch = start, bytes = 0; batch !== undefined && bytes < eventPieceBytes; ) {
    batches.push(batch)
    bytes += batch.text.length
    batch = db.one<EventBatch>(
      'SELECT first, text FROM events WHERE record = ? AND first > ? ORDER BY first LIMIT 1',
      log.record,
      batch.first,
    )
  }
  return eventsFrom(from, log.next, log.isLast === 1, batches)
}

export function trimEvents(db: SqliteDatabase, now: number): void {
  db.run('DELETE FROM events WHERE at < ?', now - 1000 * eventsKeptSeconds)
}

const lookMs = 100

/** A file wakes nobody: whoever waits for events looks again soon. */
export const watchEvents: NonNullable<Store['watchEvents']> = (_owner, _id, wake) => {
  const timer = setTimeout(wake, lookMs)
  timer.unref()
  return () => clearTimeout(timer)
}
