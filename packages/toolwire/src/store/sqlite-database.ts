/**
 * One connection: prepared statements, transactions, errors, and waiting for other processes. SQLite itself would wait
 * by blocking the entire process; here it gives up after a moment and is tried again, so that other requests go on.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, SqlValue, Statement } from './sqlite-driver.ts'
import { closedError, StoreError, type StoreErrorCode } from './store-error.ts'

/** How long SQLite may block, and then how long others may run, before the next attempt. */
const blockMs = 10
const pauseMs = 10

interface Write {
  act(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** More would keep other processes waiting. */
const mostTogether = 32

export class SqliteDatabase {
  readonly #connection: Connection
  readonly #path: string
  readonly #busyTimeout: number
  readonly #statements = new Map<string, Statement>()
  #isOpen = true
  #writes: Write[] = []

  constructor(connection: Connection, path: string, busyTimeout: number) {
    this.#connection = connection
    this.#path = path
    this.#busyTimeout = busyTimeout
    connection.exec(`PRAGMA busy_timeout = ${Math.min(blockMs, busyTimeout)}`)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Everything is rolled back if `act` throws. It may run again after another process was in the way. */
  write<T>(act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ act, resolve: resolve as Write['resolve'], reject })
      if (this.#writes.length === 1) queueMicrotask(() => this.#writeAll())
    })
  }

  /** Those that were asked for at one time share a commit, which is most of what a write costs. */
  #writeAll(): void {
    const writes = this.#writes
    this.#writes = []
    for (let at = 0; at < writes.length; at += mostTogether) {
      const together = writes.slice(at, at + mostTogether)
      if (together.length > 1 && this.#writeTogether(together)) continue
      for (const { act, resolve, reject } of together)
        this.attempt(() => this.#transaction('BEGIN IMMEDIATE', act)).then(resolve, reject)
    }
  }

  /** `false`: nothing was written, and each is to be tried by itself. */
  #writeTogether(writes: readonly Write[]): boolean {
    const settle: (() => void)[] = []
    try {
      this.#transaction('BEGIN IMMEDIATE', () => {
        for (const { act, resolve, reject } of writes) {
          this.exec('SAVEPOINT one')
          try {
            const value = act()
            settle.push(() => resolve(value))
          } catch (error) {
            // After an error of SQLite's nothing is certain of what the others wrote.
            if (resultCode(error) !== undefined) throw error
            this.exec('ROLLBACK TO one')
            settle.push(() => reject(error))
          }
          this.exec('RELEASE one')
        }
      })
    } catch {
      return false
    }
    for (const each of settle) each()
    return true
  }

  /** Reads one consistent snapshot of the data, with all writes that were asked for before. */
  read<T>(act: () => T): Promise<T> {
    this.#writeAll()
    return this.attempt(() => this.#transaction('BEGIN', act))
  }

  async attempt<T>(act: () => T): Promise<T> {
    for (let waited = 0; ; waited += blockMs + pauseMs) {
      if (!this.#isOpen) throw closedError()
      try {
        return act()
      } catch (error) {
        if (!isBusy(error) || waited >= this.#busyTimeout) throw toStoreError(error, this.#path)
      }
      await pause(pauseMs)
    }
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  /** The driver has no row types: the caller states the columns that its SQL selects. */
  one<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** Returns the key of the new row. */
  insert(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#statements.clear()
    this.#connection.close()
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #transaction<T>(begin: string, act: () => T): T {
    this.#connection.exec(begin)
    try {
      const result = act()
      this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollback()
      throw error
    }
  }

  /** SQLite has already rolled back by itself after some errors, such as a full disk. */
  #rollback(): void {
    try {
      this.#connection.exec('ROLLBACK')
    } catch {
      // The first error is the one to report.
    }
  }
}

const BUSY = 5
const LOCKED = 6

/** What the user can do, by result code: https://sqlite.org/rescode.html */
const explanations: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [BUSY, ['busy', 'another process holds it. Try again, or end the process that keeps it locked.']],
  [LOCKED, ['busy', 'another process holds it. Try again, or end the process that keeps it locked.']],
  [8, ['unavailable', 'it is read-only. Give this user the right to write the file and its folder.']],
  [10, ['unavailable', 'the disk failed to read or write. Look at the disk and its file system.']],
  [11, ['unavailable', 'the file is damaged. Put a backup in its place, or move it away to begin anew.']],
  [13, ['full', 'the disk is full. Free some space, or lower maxBytes.']],
  [
    14,
    ['no_access', 'it cannot be opened. Check that the folder exists and that this user may write there.'],
  ],
  [26, ['not_a_store', 'it is not an SQLite file. Choose another path, or move the file away.']],
])

/** For `all`, the package leaves the code out, and has only SQLite's own words for it. */
const codesByMessage: ReadonlyMap<string, number> = new Map([
  ['database is locked', BUSY],
  ['database table is locked', LOCKED],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['file is not a database', 26],
])

/** Extended codes have the primary code in the low byte. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  const isSqlite = 'code' in error && error.code === 'ERR_SQLITE_ERROR'
  return isSqlite ? (codesByMessage.get(error.message) ?? 1) : undefined
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED
}

/** Returns errors that are not from SQLite unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  const code = resultCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const [kind, reason] = explanations.get(code) ?? ['unavailable', `SQLite reported: ${error.message}`]
  return new StoreError(kind, `The store at ${path} cannot be used: ${reason}`, {
    cause: error,
    reason,
  })
}
