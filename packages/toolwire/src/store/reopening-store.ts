/**
 * A store that could not be opened because of its disk, or because another process holds it. Requests that need no store
 * are answered without it; it is opened again when it is used, not more often than every few seconds.
 */
import type { Store } from './store.ts'
import { closedError, StoreError, type StoreErrorCode } from './store-error.ts'
import { wrapStore } from './wrap-store.ts'

const retryMs = 2_000

const passing: ReadonlySet<StoreErrorCode> = new Set(['full', 'busy', 'unavailable'])

/** Whether the same store may be opened later, without a change of the settings. */
export function mayOpenLater(error: unknown): error is StoreError {
  return error instanceof StoreError && passing.has(error.code)
}

export interface ReopeningOptions {
  readonly kind: string
  readonly open: () => Promise<Store>
  /** Why the first attempt failed. */
  readonly failure: StoreError
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number
  readonly onOpen: () => void
}

export function createReopeningStore({ kind, open, failure, now, onOpen }: ReopeningOptions): Store {
  let isClosed = false
  let opened: Store | undefined
  let attempt: Promise<Store> = Promise.reject(failure)
  attempt.catch(() => {})
  let isTrying = false
  let triedAt = now()

  const tryAgain = async (): Promise<Store> => {
    try {
      const store = await open()
      opened = store
      if (isClosed) await store.close()
      else onOpen()
      return store
    } finally {
      isTrying = false
      triedAt = now()
    }
  }
  const current = async (): Promise<Store> => {
    if (isClosed) throw closedError()
    if (opened === undefined && !isTrying && now() - triedAt >= retryMs) {
      isTrying = true
      attempt = tryAgain()
    }
    return attempt
  }
  return wrapStore(kind, async operation => operation(await current()), {
    sweep: async time => (await current()).sweep(time),
    // Why it cannot be opened is shown by `check`; upkeep only has to try.
    maintain: () => current().then(store => store.maintain(), ignorePassing),
    async close() {
      isClosed = true
      await opened?.close()
    },
  })
}

function ignorePassing(error: unknown): void {
  if (!mayOpenLater(error)) throw error
}
