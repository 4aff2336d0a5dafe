/** A store whose operations fail after a time limit: one that hangs must not make requests wait for ever. */
import { compact } from '@toolwire/core/json'
import type { Store } from './store.ts'
import { StoreError } from './store-error.ts'
import { wrapStore } from './wrap-store.ts'

/** Far more than a healthy store needs, and more than SQLite waits for another process. */
export const limitMs = 10_000

interface Timer {
  /** Calls back once, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
}

export function withDeadline(store: Store, timer: Timer): Store {
  const within = <T>(operation: (store: Store) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = timer.after(limitMs, () =>
        reject(new StoreError('busy', `It did not answer within ${limitMs} ms.`)),
      )
      operation(store).then(resolve, reject).finally(cancel)
    })
  // No request waits for upkeep.
  const { appendEvents, readEvents, watchEvents, ...others } = wrapStore(store.kind, within, store)
  if (store.appendEvents === undefined) return others
  return { ...others, ...compact({ appendEvents, readEvents, watchEvents }) }
}
