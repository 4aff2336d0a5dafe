/**
 * Detects which processes are alive: each open store holds a lock on its own small file beside the database. The
 * operating system releases the lock when the process ends, however it ends. So neither clocks nor process ids are
 * needed, and a restart in a container is noticed immediately. Lock files are created and cleaned up inside write
 * transactions, so that no process sees a file that exists but is not locked yet.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isBusy } from './sqlite-database.ts'
import type { Connection, Driver } from './sqlite-driver.ts'

export class Liveness {
  readonly token: string = randomUUID()
  readonly #driver: Driver
  readonly #prefix: string
  #lock: Connection | undefined

  constructor(driver: Driver, path: string) {
    this.#driver = driver
    this.#prefix = `${path}-alive-`
  }

  /** May be called again when the surrounding transaction is retried. */
  declareAlive(): void {
    if (this.#lock !== undefined) return
    closeSync(openSync(this.#fileOf(this.token), 'wx', 0o600))
    this.#lock = this.#driver.open(this.#fileOf(this.token))
    lock(this.#lock)
  }

  isAlive(token: string): boolean {
    if (token === this.token) return this.#lock !== undefined
    return existsSync(this.#fileOf(token)) && this.#isLocked(token)
  }

  /** Removes the files of processes that died. */
  tidy(): void {
    const prefix = basename(this.#prefix)
    for (const file of readdirSync(dirname(this.#prefix))) {
      if (!file.startsWith(prefix)) continue
      const token = file.slice(prefix.length)
      if (!this.isAlive(token)) rmSync(join(dirname(this.#prefix), file), { force: true })
    }
  }

  end(): void {
    this.#lock?.close()
    this.#lock = undefined
    rmSync(this.#fileOf(this.token), { force: true })
  }

  #isLocked(token: string): boolean {
    const probe = this.#driver.open(this.#fileOf(token))
    try {
      lock(probe)
      return false
    } catch (error) {
      if (isBusy(error)) return true
      throw error
    } finally {
      probe.close()
    }
  }

  #fileOf(token: string): string {
    return `${this.#prefix}${token}`
  }
}

function lock(connection: Connection): void {
  connection.exec('PRAGMA busy_timeout = 0')
  // Nothing is ever written, so no journal file is needed.
  connection.exec('PRAGMA journal_mode = MEMORY')
  connection.exec('BEGIN EXCLUSIVE')
}
