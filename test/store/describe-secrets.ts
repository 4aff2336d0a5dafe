/** Part of the suite for all stores: what all gateways on a store share. */
import { describe, expect, test } from 'vitest'
import type { Bench } from './describe-store.ts'
import { HOUR, refusal, response, START } from './store-values.ts'

export function describeSecrets(bench: Bench, isShared: boolean): void {
  describe('secrets', () => {
    test('The first candidate for a secret is the secret, for everybody and for ever.', async () => {
      const { store } = bench
      expect(await Promise.all([store.secret('a', 'one'), store.secret('a', 'two')])).toEqual(['one', 'one'])
      expect(await store.secret('b', 'three')).toBe('three')
      bench.clock.time = START + 10_000 * HOUR
      await store.sweep(bench.clock.time)
      expect(await store.secret('a', 'four')).toBe('one')
      expect(await refusal(store.secret('', 'x'))).toBe('invalid')
      expect(await refusal(store.secret('a', ''))).toBe('invalid')
    })

    test('No limit deletes a secret.', async () => {
      const store = await bench.openWith({ maxRecords: 2 })
      await store.secret('a', 'one')
      for (const id of ['x', 'y', 'z']) await store.saveResponse(response(id))
      await store.sweep(START)
      expect(await store.secret('a', 'two')).toBe('one')
    })

    test.runIf(isShared)('A secret is that of all processes on the data.', async () => {
      const other = await bench.openAgain()
      const given = await Promise.all([bench.store.secret('a', 'one'), other.secret('a', 'two')])
      expect(new Set(given).size).toBe(1)
    })
  })
}
