/** Opens the store of a gateway and describes it. */

import type { StoreSettings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { createMemoryStore } from '../../store/memory-store.ts'
import { openSqliteStore } from '../../store/open-sqlite-store.ts'
import { openPostgresStore } from '../../store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../store/redis/open-redis-store.ts'
import { createReopeningStore, mayOpenLater } from '../../store/reopening-store.ts'
import { plainAddress } from '../../store/shared/plain-address.ts'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'

export interface OpenedStore {
  readonly store: Store | undefined
  /** For people. */
  readonly description: string
  readonly warning?: string
}

/**
 * A store whose disk is full or broken, or that another process holds, is opened as soon as it can be; `onOpen` is called
 * then. If settings are wrong, memory replaces a store that was not chosen; a chosen one must work.
 */
export async function openStore(settings: StoreSettings, onOpen = (): void => {}): Promise<OpenedStore> {
  const { kind, path, url, maxBytes, maxRecords, durability, isChosen } = settings
  const limits = {
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxRecords !== undefined && { maxRecords }),
  }
  const inMemory = (): OpenedStore => ({
    store: createMemoryStore(limits),
    description: 'memory, gone when the gateway stops',
  })
  if (kind === 'none') return { store: undefined, description: 'none, nothing is kept' }
  if (kind === 'memory') return inMemory()
  const place = kind === 'sqlite' ? path : plainAddress(url)
  const open = (): Promise<Store> => {
    if (kind === 'redis') return openRedisStore({ url, ...limits })
    return kind === 'postgres'
      ? openPostgresStore({ url, ...limits })
      : openSqliteStore({ path, durability, ...limits })
  }
  try {
    return { store: await open(), description: place }
  } catch (error) {
    if (mayOpenLater(error)) {
      const now = (): number => performance.now()
      return {
        store: createReopeningStore({ kind, open, failure: error, now, onOpen }),
        description: `${place}, not available now`,
        warning: `Nothing can be stored now. ${error.message} Requests that need no store are answered; until the store is open, GET /ready is 503.`,
      }
    }
    if (!(error instanceof StoreError)) throw error
    const remedy =
      'Or choose another store with --store memory, --store none, --store PATH or --store ADDRESS.'
    if (isChosen) throw new ConfigError([{ message: error.message, remedy }])
    return { ...inMemory(), warning: `Responses are kept in memory only. ${error.message}` }
  }
}
