/**
 * One connection: prepared statements, transactions, and the wait for other processes. SQLite itself would wait by
 * blocking the whole process; here it gives up after a moment and is tried again, so that other requests go on.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, SqlValue, Statement } from './sqlite-driver.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import { closedError } from './store-error.ts'

/** How long SQLite may block, and then how long others may run, before the next try. In milliseconds. */
const BLOCK = 10
const PAUSE = 10

export class SqliteDatabase {
  readonly #connection: Connection
  readonly #path: string
  readonly #busyTimeout: number
  readonly #statements = new Map<string, Statement>()
  #isOpen = true

  constructor(connection: Connection, path: string, busyTimeout: number) {
    this.#connection = connection
    this.#path = path
    this.#busyTimeout = busyTimeout
    connection.exec(`PRAGMA busy_timeout = ${Math.min(BLOCK, busyTimeout)}`)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** All of it or, when it throws, nothing. May run again when another process was in the way. */
  write<T>(act: () => T): Promise<T> {
    return this.attempt(() => this.#transaction('BEGIN IMMEDIATE', act))
  }

  /** One unchanging view of the data. */
  read<T>(act: () => T): Promise<T> {
    return this.attempt(() => this.#transaction('BEGIN', act))
  }

  async attempt<T>(act: () => T): Promise<T> {
    for (let waited = 0; ; waited += BLOCK + PAUSE) {
      if (!this.#isOpen) throw closedError()
      try {
        return act()
      } catch (error) {
        if (!isBusy(error) || waited >= this.#busyTimeout) throw translate(error, this.#path)
      }
      await pause(PAUSE)
    }
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  /** The edge to the driver: the caller states the columns that its SQL selects. */
  one<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** How many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** The key of the row it made. */
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
      // The first error tells more.
    }
  }
}
