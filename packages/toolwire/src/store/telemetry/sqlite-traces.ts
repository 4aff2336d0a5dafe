/** Traces in an SQLite file. All functions run inside a transaction of `SqliteDatabase`. */
import type { StoredTrace, TraceBounds } from '../../platform/stored-trace.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'

/** Traces of earlier gateways go first. */
export function addTraces(db: SqliteDatabase, traces: readonly StoredTrace[], bounds: TraceBounds): void {
  for (const { owner, id, answerId, summary, trace } of traces) {
    const bytes = Buffer.byteLength(summary) + Buffer.byteLength(trace)
    db.run('DELETE FROM traces WHERE id = ?', id)
    // What is larger than all of them together would leave nothing else.
    if (bytes > bounds.bytes) continue
    db.run(
      'INSERT INTO traces (owner, id, answer_id, bytes, summary, trace) VALUES (?, ?, ?, ?, ?, ?)',
      owner,
      id,
      answerId,
      bytes,
      summary,
      trace,
    )
  }
  db.run(
    'DELETE FROM traces WHERE number <= (SELECT number FROM traces ORDER BY number DESC LIMIT 1 OFFSET ?)',
    bounds.entries,
  )
  db.run(
    `DELETE FROM traces WHERE number <= (
      SELECT number FROM (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS total FROM traces)
      WHERE total > ? ORDER BY number DESC LIMIT 1
    )`,
    bounds.bytes,
  )
}

/** The newest first; of one owner, or of all. */
export function listTraces(db: SqliteDatabase, limit: number, owner?: string): string[] {
  const rows =
    owner === undefined
      ? db.all<{ summary: string }>('SELECT summary FROM traces ORDER BY number DESC LIMIT ?', limit)
      : db.all<{ summary: string }>(
          'SELECT summary FROM traces WHERE owner = ? ORDER BY number DESC LIMIT ?',
          owner,
          limit,
        )
  return rows.map(({ summary }) => summary)
}

/** By the id of the request, or of its answer. */
export function getTrace(db: SqliteDatabase, id: string, owner?: string): string | undefined {
  const rows = db.all<{ owner: string; trace: string }>(
    "SELECT owner, trace FROM traces WHERE id = ? UNION ALL SELECT owner, trace FROM traces WHERE answer_id = ? AND answer_id <> '' LIMIT 20",
    id,
    id,
  )
  return rows.find(row => owner === undefined || row.owner === owner)?.trace
}
