/** Opens an SQLite store. Its code and the driver are loaded on the first call, so that others do not pay for them. */
import type { SqliteStoreOptions } from './sqlite-store.ts'
import type { Store } from './store.ts'

/** Opens a store in a SQLite file, which several gateways may share. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { openSqliteStore: open } = await import('./sqlite-store.ts')
  return open(options)
}
