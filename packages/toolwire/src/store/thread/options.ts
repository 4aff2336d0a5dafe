/** The options of an SQLite store, known before its code is loaded. */
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import type { DiskSpace } from '../disk-space.ts'
import type { Driver } from '../sqlite-driver.ts'
import type { Limits } from '../store.ts'

/** File, limits, clock and durability of a SQLite store. */
export interface SqliteStoreOptions extends Partial<Limits> {
  /** The file. Its folder is created when it is missing. */
  readonly path: string
  readonly now?: () => number
  /** Milliseconds on a clock that never jumps. By default the system's, or `now` if that is set. */
  readonly elapsed?: () => number
  /** Default `normal`: a crash loses nothing, a power cut at most the last writes. */
  readonly durability?: 'normal' | 'full'
  /** How many milliseconds to wait for other processes. Default 5000. */
  readonly busyTimeout?: number
  /** Whether it runs in a thread of its own, where it can. Default true. */
  readonly thread?: boolean
  readonly driver?: Driver
  /** Replaced in tests. */
  readonly space?: Pick<DiskSpace, 'hold' | 'probe' | 'release'>
}

const known: KnownOptions<SqliteStoreOptions> = {
  path: true,
  now: true,
  elapsed: true,
  durability: true,
  busyTimeout: true,
  thread: true,
  driver: true,
  space: true,
  maxRecords: true,
  maxBytes: true,
}

export function checkSqliteOptions(options: SqliteStoreOptions): void {
  refuseUnknownOptions('openSqliteStore', options, known)
}
