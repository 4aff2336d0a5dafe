/** Opens a store in Redis or Valkey. Its code and its client are loaded on the first call. */
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import type { SharedStoreOptions } from '../shared/shared-store.ts'
import type { Store } from '../store.ts'
import type { RedisOptions } from './redis-procedures.ts'

/** Where the server is, and how much of it is used. */
export interface RedisStoreOptions extends RedisOptions, SharedStoreOptions {}

const known: KnownOptions<RedisStoreOptions> = {
  url: true,
  prefix: true,
  now: true,
  elapsed: true,
  leaseMs: true,
  maxRecords: true,
  maxBytes: true,
}

/** Opens a store that gateways on several machines share, in Redis or Valkey. It needs the package `@redis/client`. */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  refuseUnknownOptions('openRedisStore', options, known)
  const { connectRedis } = await import('./redis-procedures.ts')
  const { openSharedStore } = await import('../shared/shared-store.ts')
  return openSharedStore(await connectRedis(options), options)
}
