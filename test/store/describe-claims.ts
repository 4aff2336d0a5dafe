/** Part of the suite for all stores: whose the ids are under which others hold something. */
import { describe, expect, test } from 'vitest'
import type { Bench } from './describe-store.ts'
import { HOUR, refusal, response, START } from './store-values.ts'

export function describeClaims(bench: Bench): void {
  const ownersOf = async (holder: string, ...ids: readonly string[]): Promise<object> =>
    Object.fromEntries(await bench.store.ownersOf(holder, ids))

  describe('claims', () => {
    test('An id belongs to whoever claimed it last, and only for its holder.', async () => {
      await bench.store.claimIds('ann', 'up', ['r1', 'i1'], START + HOUR)
      await bench.store.claimIds('bob', 'up', ['i1', 'r2'], START + HOUR)
      expect(await ownersOf('up', 'r1', 'i1', 'r2', 'r3')).toEqual({ r1: 'ann', i1: 'bob', r2: 'bob' })
      expect(await ownersOf('other', 'r1')).toEqual({})
    })

    test('A claim is swapped only if it is whose it is expected to be, and of many at once one is.', async () => {
      const swap = (expected: string | undefined, owner: string, expiresAt = START + HOUR) =>
        bench.store.swapClaim('up', 'r1', expected, owner, expiresAt)
      expect(await swap('ann', 'bob')).toBe(false)
      const all = await Promise.all(['ann', 'bob', 'cyd', 'dan'].map(owner => swap(undefined, owner)))
      expect(all.filter(Boolean)).toHaveLength(1)
      const { r1: owner } = (await ownersOf('up', 'r1')) as { r1: string }
      expect(all[['ann', 'bob', 'cyd', 'dan'].indexOf(owner)]).toBe(true)
      expect(await swap(owner, 'eve', START + 10)).toBe(true)
      expect(await swap(owner, 'fay')).toBe(false)
      bench.clock.time = START + 10
      expect(await swap('eve', 'gus')).toBe(false)
      expect(await swap(undefined, 'gus')).toBe(true)
    })

    test('A claim that has expired is absent at once, and one that is renewed is not.', async () => {
      await bench.store.claimIds('ann', 'up', ['r1', 'r2'], START + 10)
      await bench.store.claimIds('ann', 'up', ['r2'], START + 20)
      bench.clock.time = START + 10
      expect(await ownersOf('up', 'r1', 'r2')).toEqual({ r2: 'ann' })
      await bench.store.sweep(START + 10)
      expect(await ownersOf('up', 'r1', 'r2')).toEqual({ r2: 'ann' })
    })

    test('An id that no store can hold belongs to nobody, and does not prevent the claim of others.', async () => {
      const odd = ['', 'a\nb', 'x'.repeat(2000), '\ud800']
      await bench.store.claimIds('ann', 'up', [...odd, 'r1'], START + HOUR)
      expect(await ownersOf('up', ...odd, 'r1')).toEqual({ r1: 'ann' })
      expect(await refusal(bench.store.claimIds('', 'up', ['r1'], START))).toBe('invalid')
      expect(await refusal(bench.store.ownersOf('', ['r1']))).toBe('invalid')
    })

    test('Claims are limited in number, and displace no records.', async () => {
      const store = await bench.openWith({ maxRecords: 2 })
      await store.saveResponse(response('r1'))
      for (let n = 0; n < 40; n += 1) await store.claimIds('ann', 'up', [`i${n}`], START + HOUR + n)
      await store.sweep(START)
      const owners = await store.ownersOf(
        'up',
        Array.from({ length: 40 }, (_, n) => `i${n}`),
      )
      expect([...owners.keys()]).toEqual(Array.from({ length: 20 }, (_, n) => `i${n + 20}`))
      expect(await store.getResponse('ann', 'r1')).toBeDefined()
    })
  })
}
