/** A store that a test can make fail and recover. */
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'

/** `full`: only writes fail. `silent`: no operation returns. */
export type Trouble = 'none' | 'down' | 'silent' | 'full'

export interface TroubledStore extends Store {
  trouble: Trouble
  /** The operations that were called. */
  readonly calls: string[]
}

export function createTroubledStore(inner: Store): TroubledStore {
  const own = { trouble: 'none' as Trouble, calls: [] as string[] }
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'trouble' || name === 'calls') return own[name]
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): Promise<unknown> => {
        own.calls.push(String(name))
        const isRefused = own.trouble === 'down' || (own.trouble === 'full' && name === 'saveResponse')
        if (isRefused) return Promise.reject(new StoreError('unavailable', 'The disk is full.'))
        if (own.trouble === 'silent') return new Promise(() => {})
        return Promise.resolve(Reflect.apply(value, target, args))
      }
    },
    set(_target, name, value: Trouble) {
      if (name !== 'trouble') return false
      own.trouble = value
      return true
    },
  }) as TroubledStore
}
