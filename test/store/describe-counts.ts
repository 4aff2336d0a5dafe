/** Part of the suite for all stores: counters, which gateways hold keys to their limits with. */
import { describe, expect, test } from 'vitest'
import type { CountChange, Counts } from '../../packages/toolwire/src/store/store.ts'
import type { Bench } from './describe-store.ts'
import { HOUR, refusal, START } from './store-values.ts'

export function describeCounts(bench: Bench, isShared: boolean): void {
  const change = (name: string, by: number, rest: Partial<CountChange> = {}): CountChange => ({
    name,
    by,
    expiresAt: START + HOUR,
    ...rest,
  })
  const add = (owner: string, ...changes: readonly CountChange[]): Promise<Counts | undefined> =>
    Promise.resolve(bench.store.addCounts?.(owner, changes))

  describe('counters', () => {
    test('A counter is an owner’s own, begins at zero, and never goes below it.', async () => {
      expect(await add('ann', change('a', 2), change('b', 3))).toEqual({ isAdded: true, values: [2, 3] })
      expect(await add('ann', change('b', -1), change('a', 4))).toEqual({ isAdded: true, values: [2, 6] })
      expect(await add('bob', change('a', -5))).toEqual({ isAdded: true, values: [0] })
      expect(await add('ann', change('a', -100))).toEqual({ isAdded: true, values: [0] })
      expect(await add('ann', change('c', 0))).toEqual({ isAdded: true, values: [0] })
    })

    test('Nothing is added once one of the counters has reached its limit.', async () => {
      const both = [change('a', 1, { most: 2 }), change('b', 10, { most: 15 })]
      expect(await add('ann', ...both)).toEqual({ isAdded: true, values: [1, 10] })
      expect(await add('ann', ...both)).toEqual({ isAdded: true, values: [2, 20] })
      expect(await add('ann', ...both)).toEqual({ isAdded: false, values: [2, 20] })
      expect(await add('ann', change('b', -10))).toEqual({ isAdded: true, values: [10] })
      expect(await add('ann', ...both)).toEqual({ isAdded: false, values: [2, 10] })
      expect(await add('bob', change('a', 1, { most: 0 }))).toEqual({ isAdded: false, values: [0] })
    })

    test('A counter that has expired begins anew, and is deleted.', async () => {
      await add('ann', change('a', 5, { expiresAt: START + 10 }), change('b', 5, { expiresAt: START + 20 }))
      bench.clock.time = START + 10
      expect((await add('ann', change('a', 0), change('b', 0)))?.values).toEqual([0, 5])
      await add('ann', change('a', 1, { expiresAt: START + 15, most: 5 }))
      bench.clock.time = START + 15
      await bench.store.sweep(START + 15)
      expect((await add('ann', change('a', 2, { most: 1 }), change('b', 0)))?.values).toEqual([2, 5])
    })

    test('Of many at once, as many are added as the limit allows.', async () => {
      const all = await Promise.all(Array.from({ length: 30 }, () => add('ann', change('a', 1, { most: 7 }))))
      expect(all.filter(counts => counts?.isAdded)).toHaveLength(7)
      expect((await add('ann', change('a', 0)))?.values).toEqual([7])
    })

    test('Large numbers are counted exactly, and what is no whole number is refused.', async () => {
      await add('ann', change('a', 9_007_199_254_740_000))
      expect((await add('ann', change('a', 991)))?.values).toEqual([Number.MAX_SAFE_INTEGER])
      expect(await refusal(add('ann', change('a', 0.5)))).toBe('invalid')
      expect(await refusal(add('ann', change('', 1)))).toBe('invalid')
      expect(await refusal(add('', change('a', 1)))).toBe('invalid')
      expect(await refusal(add('ann', change('a', 1, { most: Number.NaN })))).toBe('invalid')
    })

    test.runIf(isShared)('A limit is that of all processes on the data.', async () => {
      const other = await bench.openAgain()
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? bench.store : other).addCounts?.('ann', [change('a', 1, { most: 11 })]),
        ),
      )
      expect(all.filter(counts => counts?.isAdded)).toHaveLength(11)
    })
  })
}
