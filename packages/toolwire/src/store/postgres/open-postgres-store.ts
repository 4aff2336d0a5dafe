/** Opens a store in Postgres. Its code and its client are loaded on the first call. */
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import type { SharedStoreOptions } from '../shared/shared-store.ts'
import type { Store } from '../store.ts'
import type { PostgresOptions } from './postgres-procedures.ts'

/** Where the server is, and how much of it is used. */
export interface PostgresStoreOptions extends PostgresOptions, SharedStoreOptions {}

const known: KnownOptions<PostgresStoreOptions> = {
  url: true,
  schema: true,
  connections: true,
  now: true,
  elapsed: true,
  leaseMs: true,
  maxRecords: true,
  maxBytes: true,
}

/** Opens a store that gateways on several machines share, in Postgres. It needs the package `pg`. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  refuseUnknownOptions('openPostgresStore', options, known)
  const { connectPostgres } = await import('./postgres-procedures.ts')
  const { openSharedStore } = await import('../shared/shared-store.ts')
  return openSharedStore(await connectPostgres(options), options)
}
