/** Opens the file: private to its user, durable after a crash, and with deleted data overwritten. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SqliteDatabase, toStoreError } from './sqlite-database.ts'
import type { Driver } from './sqlite-driver.ts'
import { assertUsable, migrate } from './sqlite-schema.ts'
import { diskFull, StoreError } from './store-error.ts'

export interface FileOptions {
  readonly path: string
  /** `full` also survives a power cut, at the price of a disk flush for each write. */
  readonly durability: 'normal' | 'full'
  readonly busyTimeout: number
  readonly now: () => number
}

export async function openFile(driver: Driver, options: FileOptions): Promise<SqliteDatabase> {
  const { path, busyTimeout } = options
  makePrivate(path)
  const db = connect(driver, path, busyTimeout)
  try {
    await db.attempt(() => assertUsable(db, path))
    await db.attempt(() => setModes(db, options))
    await db.write(() => migrate(db, path, options.now()))
    makePrivate(path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function connect(driver: Driver, path: string, busyTimeout: number): SqliteDatabase {
  try {
    return new SqliteDatabase(driver.open(path), path, busyTimeout)
  } catch (error) {
    throw toStoreError(error, path)
  }
}

function setModes(db: SqliteDatabase, { durability }: FileOptions): void {
  // Takes effect only in an empty file, and must come before the journal mode, which writes the header.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA foreign_keys = ON')
  // Deleted data is overwritten, and nothing is written to temporary files.
  db.exec('PRAGMA secure_delete = ON')
  db.exec('PRAGMA temp_store = MEMORY')
}

/**
 * SQLite would create the file with the permissions of the umask; its companion files inherit the permissions.
 * An existing file is never opened here: closing it would drop the locks that this process has on it.
 */
function makePrivate(path: string): void {
  try {
    makeFolder(dirname(resolve(path)))
    if (!existsSync(path)) createPrivate(path)
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      if (existsSync(file)) chmodSync(file, 0o600)
    }
  } catch (cause) {
    if (isFull(cause)) throw diskFull(path)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreError(
      'no_access',
      `The store at ${path} cannot be made private to its user: ${reason}. ` +
        'Choose a folder that this user may write, and a file that belongs to this user.',
      { cause },
    )
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** Folder by folder: in /proc, `mkdirSync` with `recursive` never returns. */
function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at)
  for (const next of missing.reverse()) {
    try {
      mkdirSync(next, { mode: 0o700 })
    } catch (error) {
      // Another process may be faster.
      if (!existsSync(next)) throw error
    }
  }
}

/** If another process is faster, the file exists and is private. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}
