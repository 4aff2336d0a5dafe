/** A store that is sometimes slow or failing, and records what it has saved. */
import type { ResponseRecord, Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import type { Lane } from './clock.ts'
import type { Random } from './random.ts'

export interface SoakStore extends Store {
  /** The last save of each response. */
  readonly kept: ReadonlyMap<string, ResponseRecord>
  /** The responses to requests that contain this text. */
  recordsOf(text: string): ResponseRecord[]
  /** The number of failed operations. */
  readonly troubles: number
  /** Operations succeed from now on. */
  heal(): void
}

export function createSoakStore(inner: Store, clock: Lane, random: Random, malice: number): SoakStore {
  const kept = new Map<string, ResponseRecord>()
  let troubles = 0
  let isIll = true
  const work = async (
    name: string,
    args: readonly unknown[],
    act: () => Promise<unknown>,
  ): Promise<unknown> => {
    if (isIll && random.chance(malice)) {
      troubles++
      if (random.chance(0.3)) return new Promise(() => {})
      throw new StoreError('unavailable', 'The disk is full.')
    }
    if (random.chance(0.3)) await new Promise<void>(resolve => clock.after(random.between(1, 40), resolve))
    const result = await act()
    if (name === 'saveResponse') {
      const record = args[0] as ResponseRecord
      kept.set(record.id, record)
    }
    return result
  }
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'kept') return kept
      if (name === 'recordsOf') {
        return (text: string) =>
          [...kept.values()].filter(({ input }) => input.some(({ json }) => json.includes(text)))
      }
      if (name === 'troubles') return troubles
      if (name === 'heal') {
        return () => {
          isIll = false
        }
      }
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) =>
        work(String(name), args, async () => Reflect.apply(value, target, args))
    },
  }) as SoakStore
}
