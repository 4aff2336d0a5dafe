/**
 * Which processes are alive, told by locks: each open store holds one on a small file of its own beside the
 * database. The system lets go of it when the process ends, however it ends, so neither clocks nor process ids are
 * needed, and a restart in a container is seen at once. Declared and tidied inside write transactions: so no process
 * can find a file that is made but not locked yet.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Connection, Driver } from './sqlite-driver.ts'
import { isBusy } from './sqlite-errors.ts'

export class Liveness {
  readonly token: string = randomUUID()
  readonly #driver: Driver
  readonly #prefix: string
  #lock: Connection | undefined

  constructor(driver: Driver, path: string) {
    this.#driver = driver
    this.#prefix = `${path}-alive-`
  }

  /** May be called again, when the transaction around it was tried again. */
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

  /** Takes away what processes that died have left behind. */
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
  // Nothing is ever written, so no journal need be kept in a file beside it.
  connection.exec('PRAGMA journal_mode = MEMORY')
  connection.exec('BEGIN EXCLUSIVE')
}
