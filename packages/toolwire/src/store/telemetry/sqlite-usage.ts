/** The rows of usage in an SQLite file. All functions run inside a transaction of `SqliteDatabase`. */
import { atOnce } from '../../platform/steps.ts'
import { totalRows, type UsageRow } from '../../platform/usage-row.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'

const columns =
  'hour, model, upstream, client, owner, requests, failures, input, output, cache_read, cost, unpriced'
const sums = ['requests', 'failures', 'input', 'output', 'cache_read', 'cost', 'unpriced']
const adding = sums.map(name => `${name} = ${name} + excluded.${name}`).join(', ')
const upsert = `ON CONFLICT (hour, model, upstream, client, owner) DO UPDATE SET ${adding}`

/** Older rows are added up by the day, and in the end removed. */
const daysInHours = 14
const daysKept = 400
const maxRows = 100_000

export function addUsage(db: SqliteDatabase, rows: readonly UsageRow[]): void {
  for (const row of rows) {
    db.run(
      `INSERT INTO usage (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${upsert}`,
      row.hour,
      row.model,
      row.upstream,
      row.client,
      row.owner,
      row.requests,
      row.failures,
      row.input,
      row.output,
      row.cacheRead,
      row.cost,
      row.unpriced,
    )
  }
}

/** Those with most requests first, because not all of very many are told one by one. */
export function readUsage(db: SqliteDatabase, sinceHour: number, owner?: string): UsageRow[] {
  const totals = sums.map(name => `sum(${name}) AS ${name === 'cache_read' ? 'cacheRead' : name}`).join(', ')
  const rows = db.all<UsageRow>(
    `SELECT max(hour) AS hour, model, upstream, client, owner, ${totals} FROM usage
    WHERE hour >= ? AND owner = coalesce(?, owner)
    GROUP BY model, upstream, client, owner ORDER BY sum(requests) DESC`,
    sinceHour,
    owner ?? null,
  )
  return atOnce(totalRows(rows, owner))
}

export function trimUsage(db: SqliteDatabase, nowHour: number): void {
  const limit = nowHour - 24 * daysInHours
  const summed = columns.replace('hour', 'hour / 24 * 24')
  db.run(
    `INSERT INTO usage (${columns}) SELECT ${summed} FROM usage WHERE hour < ? AND hour % 24 > 0 ${upsert}`,
    limit,
  )
  db.run('DELETE FROM usage WHERE hour < ? AND hour % 24 > 0', limit)
  db.run('DELETE FROM usage WHERE hour < ?', nowHour - 24 * daysKept)
  db.run(
    `DELETE FROM usage WHERE hour <= (SELECT hour FROM usage ORDER BY hour DESC LIMIT 1 OFFSET ${maxRows})`,
  )
}
