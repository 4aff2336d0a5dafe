/** Opens the store of a gateway and describes it. */

import type { StoreSettings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { createMemoryStore } from '../../store/memory-store.ts'
import { openSqliteStore } from '../../store/open-sqlite-store.ts'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'

export interface OpenedStore {
  readonly store: Store | undefined
  /** For people. */
  readonly description: string
  readonly warning?: string
}

/** Without a choice, memory replaces a store that cannot be opened; a chosen store must work. */
export async function openStore(settings: StoreSettings): Promise<OpenedStore> {
  const { kind, path, maxBytes, maxRecords, isChosen } = settings
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
  try {
    return { store: await openSqliteStore({ path, ...limits }), description: path }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const remedy = 'Or choose another store with --store memory, --store none or --store PATH.'
    if (isChosen) throw new ConfigError([{ message: error.message, remedy }])
    return { ...inMemory(), warning: `Responses are kept in memory only. ${error.message}` }
  }
}
