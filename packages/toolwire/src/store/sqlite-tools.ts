/** What operators do with the file of a store, while gateways may be using it: verify it, copy it, make it small. */
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { SqliteDatabase, toStoreError } from './sqlite-database.ts'
import { type Driver, loadDriver } from './sqlite-driver.ts'
import { SqliteRecords } from './sqlite-records.ts'
import { assertUsable, isCurrent } from './sqlite-schema.ts'
import { StoreError } from './store-error.ts'

export interface Verified {
  readonly records: number
  /** The first of them, if there are very many. */
  readonly problems: readonly string[]
  /** Written by a version without checksums, of which none can be verified. */
  readonly isOld: boolean
}

const mostProblems = 100
/** Other processes hold the file only for moments. */
const busyTimeout = 10_000

/** Reads the whole file: whether it is sound for SQLite, and each record what was written. Changes nothing. */
export async function verifySqliteFile(path: string, driver?: Driver): Promise<Verified> {
  try {
    return await withFile(path, driver, verifyFile)
  } catch (error) {
    // A file whose list of tables is damaged cannot be opened at all.
    if (!(error instanceof StoreError) || error.code !== 'unavailable') throw error
    return { records: 0, problems: [error.reason], isOld: false }
  }
}

async function verifyFile(db: SqliteDatabase): Promise<Verified> {
  const problems = await db.attempt(() => soundness(db))
  const isOld = !(await db.attempt(() => isCurrent(db)))
  // What SQLite cannot read, nobody can.
  if (isOld || problems.length > 0) return { records: 0, problems, isOld }
  const records = await db.attempt(() => verifyRecords(db, problems))
  return { records, problems, isOld }
}

/** Copies the file as it is at this moment to a new one, private to its user. */
export function backupSqliteFile(path: string, target: string, driver?: Driver): Promise<void> {
  return withFile(path, driver, async db => {
    createNew(target)
    try {
      await db.attempt(() => db.run('VACUUM INTO ?', target))
    } catch (error) {
      rmSync(target, { force: true })
      throw error
    }
  })
}

/** Rewrites the file without gaps. Returns its size before and after. */
export function vacuumSqliteFile(path: string, driver?: Driver): Promise<readonly [number, number]> {
  return withFile(path, driver, async db => {
    const before = statSync(path).size
    await db.attempt(() => db.exec('VACUUM'))
    await db.attempt(() => db.all('PRAGMA wal_checkpoint(TRUNCATE)'))
    return [before, statSync(path).size]
  })
}

async function withFile<T>(
  path: string,
  given: Driver | undefined,
  act: (db: SqliteDatabase) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) {
    throw new StoreError(
      'no_access',
      `There is no store at ${path}. It is made when a gateway first uses it.`,
    )
  }
  const driver = given ?? (await loadDriver())
  let db: SqliteDatabase | undefined
  try {
    db = new SqliteDatabase(driver.open(path), path, busyTimeout)
    const opened = db
    await opened.attempt(() => assertUsable(opened, path))
    return await act(opened)
  } catch (error) {
    throw toStoreError(error, path)
  } finally {
    db?.close()
  }
}

function createNew(target: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreError(
      'no_access',
      `The copy cannot be written: ${reason}. Name a file that does not exist.`,
      {
        cause,
      },
    )
  }
}

function soundness(db: SqliteDatabase): string[] {
  try {
    const found = db
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${mostProblems})`)
      .map(row => row.integrity_check)
      .filter(text => text !== 'ok')
    const orphans = db.all('PRAGMA foreign_key_check').length
    return orphans === 0 ? found : [...found, `${orphans} rows belong to records that are missing.`]
  } catch (error) {
    const known = toStoreError(error, 'the file')
    if (known instanceof StoreError && known.code === 'unavailable') return [known.reason]
    throw error
  }
}

/** Returns how many records there are. */
function verifyRecords(db: SqliteDatabase, problems: string[]): number {
  const records = new SqliteRecords(db, '')
  let count = 0
  for (let last = 0; problems.length < mostProblems; count += 1) {
    const row = db.one<{ number: number; kind: 'response' | 'conversation'; owner: string; id: string }>(
      'SELECT number, kind, owner, id FROM records WHERE number > ? ORDER BY number LIMIT 1',
      last,
    )
    if (row === undefined) break
    last = row.number
    for (const read of [
      () => records.find(row.kind, row.owner, row.id, -1),
      () => records.body(row.number),
      () => records.items(row.number),
    ]) {
      const problem = damageOf(read)
      if (problem !== undefined) problems.push(`In ${row.kind} "${row.id}" of ${row.owner}: ${problem}`)
    }
  }
  verifyClaims(db, records, problems)
  verifySecrets(db, records, problems)
  const wrong = db.one(
    `SELECT 1 FROM totals WHERE records <> (SELECT count(*) FROM records) OR bytes <> (SELECT coalesce(sum(bytes), 0) FROM records)
     OR EXISTS (SELECT owner, count(*), sum(bytes) FROM records GROUP BY owner EXCEPT SELECT owner, records, bytes FROM owner_totals)`,
  )
  if (wrong !== undefined) problems.push('The totals do not match the records.')
  return count
}

function verifyClaims(db: SqliteDatabase, records: SqliteRecords, problems: string[]): void {
  for (let at = { holder: '', id: '' }; problems.length < mostProblems; ) {
    const rows = db.all<typeof at>(
      'SELECT holder, id FROM claims WHERE (holder, id) > (?, ?) ORDER BY holder, id LIMIT 500',
      at.holder,
      at.id,
    )
    for (const { holder, id } of rows) {
      const problem = damageOf(() => records.ownerOf(holder, id, -1))
      if (problem !== undefined) problems.push(`In the claim of "${id}": ${problem}`)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    at = last
  }
}

function verifySecrets(db: SqliteDatabase, records: SqliteRecords, problems: string[]): void {
  for (const { name } of db.all<{ name: string }>('SELECT name FROM secrets')) {
    const problem = damageOf(() => records.secret(name))
    if (problem !== undefined) problems.push(`In the secret "${name}": ${problem}`)
  }
}

function damageOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof StoreError && error.code === 'record_damaged') return 'a checksum does not match.'
    throw error
  }
}
