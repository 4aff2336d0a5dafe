/**
 * Opens an SQLite store, in a thread of its own where that can be. Its code and the driver are loaded on the first call, so
 * that others do not pay for them.
 */
import type { Store } from './store.ts'
import { checkSqliteOptions, type SqliteStoreOptions } from './thread/options.ts'

/** Opens a store in a SQLite file, which several gateways may share. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  checkSqliteOptions(options)
  const { driver, space, thread = true, ...data } = options
  if (thread && driver === undefined && space === undefined) {
    const { openThreadedStore, threadFile } = await import('./thread/threaded-store.ts')
    const file = threadFile()
    if (file !== undefined) return openThreadedStore(data, file)
  }
  const { openSqliteStore: open } = await import('./sqlite-store.ts')
  return open(options)
}
