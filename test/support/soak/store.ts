/** A store that is sometimes slow or failing, and records what it has saved. */
import type { ResponseRecord, Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import type { TimerGroup } from './clock.ts'
import type { Random } from './random.ts'

export interface SoakStore extends Store {
  /** The last save of each response. */
  readonly saved: ReadonlyMap<string, ResponseRecord>
  /** The responses to requests that contain this text. */
  recordsOf(text: string): ResponseRecord[]
  /** The number of failed operations. */
  readonly failures: number
  /** Operations succeed from now on. */
  recover(): void
}

export function createSoakStore(
  inner: Store,
  clock: TimerGroup,
  random: Random,
  faultRate: number,
): SoakStore {
  const saved = new Map<string, ResponseRecord>()
  let failures = 0
  let mayFail = true
  const work = async (
    name: string,
    args: readonly unknown[],
    act: () => Promise<unknown>,
  ): Promise<unknown> => {
    if (mayFail && random.chance(faultRate)) {
      failures++
      if (random.chance(0.3)) return new Promise(() => {})
      throw new StoreError('unavailable', 'The disk is full.')
    }
    if (random.chance(0.3)) await new Promise<void>(resolve => clock.after(random.between(1, 40), resolve))
    const result = await act()
    if (name === 'saveResponse') {
      const record = args[0] as ResponseRecord
      saved.set(record.id, record)
    }
    return result
  }
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'saved') return saved
      if (name === 'recordsOf') {
        return (text: string) =>
          [...saved.values()].filter(({ input }) => input.some(({ json }) => json.includes(text)))
      }
      if (name === 'failures') return failures
      if (name === 'recover') {
        return () => {
          mayFail = false
        }
      }
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) =>
        work(String(name), args, async () => Reflect.apply(value, target, args))
    },
  }) as SoakStore
}
