/** The store of a gateway: one SQLite file, which several processes may share. */

import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { StoredTrace, TraceBounds } from '../platform/stored-trace.ts'
import { hourMs, type UsageRow } from '../platform/usage-row.ts'
import { checkKey, checkLimits } from './checks.ts'
import { addCounts, trimCounts } from './counts/sqlite-counts.ts'
import { DiskSpace } from './disk-space.ts'
import { isFinished } from './lifecycle.ts'
import { RecordStore } from './record-store.ts'
import { claimsPerRecord } from './records.ts'
import { appendEvents, readEvents, trimEvents, watchEvents } from './sqlite/events.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { loadDriver } from './sqlite-driver.ts'
import { openFile } from './sqlite-file.ts'
import { Liveness } from './sqlite-liveness.ts'
import { SqliteRecords } from './sqlite-records.ts'
import { SqliteUpkeep } from './sqlite-upkeep.ts'
import type { CountChange, Counts, Limits, NewEvents, ResponseRecord, Store, StoredEvents } from './store.ts'
import { diskFull, StoreError } from './store-error.ts'
import { addTraces, getTrace, listTraces } from './telemetry/sqlite-traces.ts'
import { addUsage, readUsage, trimUsage } from './telemetry/sqlite-usage.ts'
import { checkSqliteOptions, type SqliteStoreOptions } from './thread/options.ts'
import { TrustedTime } from './trusted-time.ts'

const defaults: Limits = { maxRecords: 1_000_000, maxBytes: 4 * 1024 ** 3 }

/** How many records a sweep deletes before it lets others run. */
const sweepBatch = 200
/** How many expired records a write deletes, so that the file shrinks even when nobody sweeps. */
const writeBatch = 16
/** How many items are deleted at a time. Each takes some microseconds, in which nobody else is served. */
const itemBatch = 500

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  checkSqliteOptions(options)
  const { path, now = Date.now, durability = 'normal', busyTimeout = 5000 } = options
  const { maxRecords = defaults.maxRecords, maxBytes = defaults.maxBytes } = options
  if (path === '' || path === ':memory:') {
    throw new StoreError('invalid', 'path must name a file. To keep nothing on disk, use the memory store.')
  }
  checkLimits({ maxRecords, maxBytes })
  const driver = options.driver ?? (await loadDriver())
  const space = options.space ?? new DiskSpace(path)
  const open = (): Promise<SqliteDatabase> => openFile(driver, { path, now, durability, busyTimeout })
  const db = await open().catch((error: unknown) => {
    if (!isOfDisk(error)) throw error
    // SQLite needs some space even to read.
    space.release()
    return open()
  })
  const clocks = { now, elapsed: options.elapsed ?? options.now ?? (() => performance.now()) }
  const parts = { db, path, space, clocks, liveness: new Liveness(driver, path) }
  const store = new SqliteStore(parts, { maxRecords, maxBytes })
  try {
    await store.begin()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Whether the disk is in trouble, or may be. */
function isOfDisk(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'full' || error.code === 'unavailable')
}

interface Parts {
  readonly db: SqliteDatabase
  readonly path: string
  readonly liveness: Liveness
  readonly space: Pick<DiskSpace, 'hold' | 'probe' | 'release'>
  readonly clocks: { readonly now: () => number; readonly elapsed: () => number }
}

class SqliteStore extends RecordStore {
  readonly kind = 'sqlite'
  readonly #parts: Parts
  readonly #db: SqliteDatabase
  readonly #liveness: Liveness
  readonly #limits: Limits
  readonly #records: SqliteRecords
  readonly #upkeep: SqliteUpkeep
  #trusted: TrustedTime
  /** The disk refused a write, and nothing has shown yet that it would take one. */
  #isInTrouble = false
  /** Text was deleted that may still be in the write-ahead log. */
  #isLogStale = true

  constructor(parts: Parts, limits: Limits) {
    const { db, liveness, clocks } = parts
    const records = new SqliteRecords(db, liveness.token)
    super(records, limits)
    this.#parts = parts
    this.#db = db
    this.#liveness = liveness
    this.#limits = limits
    this.#records = records
    this.#upkeep = new SqliteUpkeep(db)
    this.#trusted = new TrustedTime(clocks.now(), clocks.elapsed)
  }

  async begin(): Promise<void> {
    const { now, elapsed } = this.#parts.clocks
    await this.#db.write(() => {
      this.#liveness.declareAlive()
      this.#failOrphans()
    })
    this.#trusted = new TrustedTime(now(), elapsed, await this.#db.read(() => this.#upkeep.moment()))
    this.#isInTrouble = !this.#parts.space.hold()
  }

  /** What a process that died was working on has failed, whoever looks first. */
  override async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    const record = await super.getResponse(owner, id)
    if (record === undefined || isFinished(record.status)) return record
    const hasFailed = await this.#db.attempt(() => this.#hasOrphans())
    if (!hasFailed) return record
    await this.#db.write(() => this.#failOrphans())
    return super.getResponse(owner, id)
  }

  async sweep(now: number): Promise<number> {
    const trusted = this.#trusted.observe(now)
    let removed = 0
    for (let batch = -1; batch !== 0; removed += batch) {
      await this.#removeExpiredItems(trusted, sweepBatch)
      batch = await this.#db.write(
        () => this.#upkeep.removeExpired(trusted, sweepBatch) || this.#trim(trusted, sweepBatch),
      )
    }
    await this.#sweepClaims(trusted)
    await this.#db.write(() => {
      this.#upkeep.removeGraves(trusted)
      trimEvents(this.#db, trusted)
      trimUsage(this.#db, Math.floor(trusted / hourMs))
      trimCounts(this.#db, trusted)
      this.#upkeep.writeMoment(this.#trusted.moment)
    })
    this.#isLogStale = true
    await this.maintain()
    return removed
  }

  /** In slices, since a record may have any number of items. */
  async #removeExpiredItems(now: number, records: number): Promise<void> {
    for (let removed = itemBatch; removed === itemBatch; ) {
      await letOthersRun()
      removed = await this.#db.write(() => this.#upkeep.removeExpiredItems(now, records, itemBatch))
    }
  }

  /** Those that have expired, and beyond the limit those that expire first. */
  async #sweepClaims(now: number): Promise<void> {
    const remove = async (until: number, limit: number): Promise<number> => {
      await letOthersRun()
      return this.#db.write(() => this.#upkeep.removeExpiredClaims(until, limit))
    }
    while ((await remove(now, sweepBatch)) > 0);
    const count = await this.#db.read(() => this.#upkeep.countClaims())
    let excess = count - claimsPerRecord * this.#limits.maxRecords
    while (excess > 0) excess -= await remove(Number.MAX_SAFE_INTEGER, Math.min(excess, sweepBatch))
  }

  addUsage(rows: readonly UsageRow[]): Promise<void> {
    return this.#db.write(() => addUsage(this.#db, rows))
  }

  readUsage(sinceHour: number, owner?: string): Promise<readonly UsageRow[]> {
    return this.#db.read(() => readUsage(this.#db, sinceHour, owner))
  }

  async appendEvents(owner: string, id: string, events: NewEvents): Promise<void> {
    checkKey(owner, id)
    await this.#db.write(() => this.addEvents(owner, id, events, this.#parts.clocks.now()))
  }

  protected override addEvents(owner: string, id: string, events: NewEvents, now: number): void {
    appendEvents(this.#db, [owner, id], events, this.#liveness.token, now)
  }

  async readEvents(owner: string, id: string, from: number): Promise<StoredEvents | 'gone' | undefined> {
    checkKey(owner, id)
    return this.read(now => readEvents(this.#db, owner, id, from, now))
  }

  readonly watchEvents = watchEvents

  addTraces(traces: readonly StoredTrace[], bounds: TraceBounds): Promise<void> {
    return this.#db.write(() => addTraces(this.#db, traces, bounds))
  }

  listTraces(limit: number, owner?: string): Promise<readonly string[]> {
    return this.#db.read(() => listTraces(this.#db, limit, owner))
  }

  getTrace(id: string, owner?: string): Promise<string | undefined> {
    return this.#db.read(() => getTrace(this.#db, id, owner))
  }

  addCounts(owner: string, changes: readonly CountChange[]): Promise<Counts> {
    return this.#db.write(() => addCounts(this.#db, owner, changes, this.#parts.clocks.now()))
  }

  async maintain(): Promise<void> {
    if (await this.#db.attempt(() => this.#hasOrphans())) await this.#db.write(() => this.#failOrphans())
    if (this.#isInTrouble) await this.#recover()
    if (!this.#isLogStale) return
    await this.#db.attempt(() => {
      // Returns free pages to the disk.
      this.#db.all('PRAGMA incremental_vacuum(1000)')
      this.#isLogStale = !this.#emptyLog()
    })
  }

  /** A write that changes nothing still needs space on the disk, but less than a response. */
  async check(): Promise<void> {
    const { space, path } = this.#parts
    if (!this.#db.isOpen) return this.#db.read(() => {})
    if (!(this.#isInTrouble ? space.probe() : space.hold())) throw diskFull(path)
    await this.#db.write(() => this.#db.run('UPDATE totals SET writes = writes'))
    this.#isInTrouble = false
  }

  /** Responses that this process has not finished become failed for others. */
  async close(): Promise<void> {
    if (!this.#db.isOpen) return
    try {
      await this.#db.write(() => {
        this.#upkeep.failUnfinished(this.#liveness.token)
        this.#upkeep.writeMoment(this.#trusted.moment)
      })
      await this.#db.attempt(() => this.#emptyLog())
    } catch {
      // A store that cannot be written must still close. Whoever opens it next finds the lock gone and repairs it.
    } finally {
      this.#liveness.end()
      this.#db.close()
    }
  }

  protected read<T>(act: (now: number) => T): Promise<T> {
    return this.#db.read(() => act(this.#parts.clocks.now()))
  }

  protected async write<T>(act: (now: number) => T): Promise<T> {
    try {
      return await this.#db.write(() => {
        const now = this.#parts.clocks.now()
        const result = act(now)
        // What was hidden for want of space waits for space.
        if (this.#isInTrouble) return result
        const trusted = this.#trusted.observe(now)
        if (this.#upkeep.hasExpired(trusted)) {
          const items = this.#upkeep.removeExpiredItems(trusted, writeBatch, itemBatch)
          if (items < itemBatch) this.#upkeep.removeExpired(trusted, writeBatch)
        }
        while (this.#trim(trusted, writeBatch) > 0);
        return result
      })
    } catch (error) {
      if (isOfDisk(error)) this.#isInTrouble = true
      throw error
    } finally {
      // Most writes replace or delete something.
      this.#isLogStale = true
    }
  }

  protected shrink<T>(act: (now: number) => T): Promise<T> {
    return this.#withReserve(act, act)
  }

  /**
   * On a full disk the record is hidden, and removed when there is space. One of many items is hidden too, and removed in
   * slices; should the process end before that, the next sweep goes on with it.
   */
  protected async erase(find: (now: number) => number | undefined, bury: boolean): Promise<boolean> {
    let isHidden = false
    const using = (remove: (number: number) => void) => (now: number) => {
      const number = find(now)
      if (number === undefined) return false
      if (bury) this.#records.bury(number, now)
      remove(number)
      return true
    }
    const isFound = await this.#withReserve(
      using(number => {
        isHidden = this.#records.hasMoreItems(number, itemBatch)
        if (isHidden) this.#records.hide(number)
        else this.#records.remove(number)
      }),
      using(number => this.#records.hide(number)),
    )
    if (isHidden) await this.#removeExpiredItems(this.#trusted.observe(this.#parts.clocks.now()), writeBatch)
    return isFound
  }

  async #withReserve<T>(act: (now: number) => T, onFullDisk: (now: number) => T): Promise<T> {
    try {
      return await this.write(act)
    } catch (error) {
      if (!isOfDisk(error)) throw error
      this.#parts.space.release()
      return await this.#db.write(() => onFullDisk(this.#parts.clocks.now()))
    }
  }

  /** Removes up to `limit` records while the limits are exceeded: expired ones first, then the oldest of who has most. */
  #trim(now: number, limit: number): number {
    if (this.#overLimit() === undefined) return 0
    const expired = this.#upkeep.removeExpired(now, limit)
    if (expired > 0) return expired
    let removed = 0
    for (let over = this.#overLimit(); removed < limit && over !== undefined; over = this.#overLimit()) {
      const gone = this.#upkeep.removeLeastWanted(over)
      if (gone === 0) break
      removed += gone
    }
    return removed
  }

  /** Which limit is exceeded, if any. */
  #overLimit(): 'records' | 'bytes' | undefined {
    const { records, bytes } = this.#upkeep.totals()
    if (records > this.#limits.maxRecords) return 'records'
    return bytes > this.#limits.maxBytes ? 'bytes' : undefined
  }

  /** Deleted text would live on in the write-ahead log. Returns `false` while another process is in the way. */
  #emptyLog(): boolean {
    return this.#db.one<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
  }

  /** Removes what was hidden, as far as there is space, and holds the reserve again. */
  async #recover(): Promise<void> {
    const { space, clocks } = this.#parts
    const trusted = this.#trusted.observe(clocks.now())
    const steps = [
      () => this.#db.attempt(() => this.#emptyLog()),
      () => this.#db.write(() => this.#upkeep.removeExpired(trusted, 1)),
      () => this.#db.attempt(() => this.#emptyLog()),
    ]
    for (const step of steps) {
      await step().catch((error: unknown) => {
        if (!isOfDisk(error)) throw error
      })
    }
    if (space.probe()) this.#isInTrouble = false
  }

  #hasOrphans(): boolean {
    return this.#upkeep.unfinishedWriters().some(writer => !this.#liveness.isAlive(writer))
  }

  #failOrphans(): void {
    this.#liveness.tidy()
    for (const writer of this.#upkeep.unfinishedWriters()) {
      if (!this.#liveness.isAlive(writer)) this.#upkeep.failUnfinished(writer)
    }
  }
}
