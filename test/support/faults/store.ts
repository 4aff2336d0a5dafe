/** A store that a test can make fail and recover. */
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'

/** `full`: what needs space on the disk fails. `silent`: no operation returns. */
export type StoreFailure = 'none' | 'down' | 'silent' | 'full'

export interface FailingStore extends Store {
  failure: StoreFailure
  /** The operations that were called. */
  readonly calls: string[]
}

const needsSpace: ReadonlySet<PropertyKey> = new Set([
  'saveResponse',
  'createConversation',
  'appendItems',
  'claimIds',
  'swapClaim',
  'check',
])

export function createFailingStore(inner: Store): FailingStore {
  const own = { failure: 'none' as StoreFailure, calls: [] as string[] }
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'failure' || name === 'calls') return own[name]
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): Promise<unknown> => {
        own.calls.push(String(name))
        const isRefused = own.failure === 'down' || (own.failure === 'full' && needsSpace.has(name))
        if (isRefused) return Promise.reject(new StoreError('full', 'The disk is full.'))
        if (own.failure === 'silent') return new Promise(() => {})
        return Promise.resolve(Reflect.apply(value, target, args))
      }
    },
    set(_target, name, value: StoreFailure) {
      if (name !== 'failure') return false
      own.failure = value
      return true
    },
  }) as FailingStore
}
