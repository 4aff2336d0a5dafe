/** Part of the suite for stores whose data several processes share. */
import { describe, expect, test } from 'vitest'
import type { Bench } from './describe-store.ts'
import { conversation, ids, items, refusal, response } from './store-values.ts'

export function describeSharing(bench: Bench): void {
  describe('two stores on the same data', () => {
    test('A store sees immediately what another store has written.', async () => {
      const other = await bench.openAgain()
      for (let n = 0; n < 50; n += 1) {
        const [writer, reader] = n % 2 ? [bench.store, other] : [other, bench.store]
        const previous = n === 0 ? {} : { previousId: `r${n - 1}` }
        await writer.saveResponse(response(`r${n}`, previous))
        expect(await reader.getResponse('ann', `r${n}`)).toEqual(response(`r${n}`, previous))
        expect(await reader.context('ann', `r${n}`)).toHaveLength(2 * (n + 1))
      }
      await other.deleteResponse('ann', 'r49')
      expect(await bench.store.getResponse('ann', 'r49')).toBeUndefined()
    })

    test('Two stores may write at the same time without losing anything.', async () => {
      const other = await bench.openAgain()
      await bench.store.createConversation(conversation('c1'), [])
      const names = Array.from({ length: 40 }, (_, n) => `i${n}`)
      await Promise.all(
        names.map((id, n) => (n % 2 ? bench.store : other).appendItems('ann', 'c1', items(id))),
      )
      const page = await bench.store.listItems('ann', 'c1', { limit: 100, order: 'asc' })
      expect([...(ids(page?.items) ?? [])].sort()).toEqual([...names].sort())
    })

    test('Closing one store keeps the data for the other.', async () => {
      const other = await bench.openAgain()
      await other.saveResponse(response('r1'))
      await other.close()
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(response('r1'))
    })

    test('A response that another store deleted while it was worked on stays deleted.', async () => {
      const other = await bench.openAgain()
      const unfinished = response('r1', { status: 'in_progress' })
      await other.saveResponse(unfinished)
      expect(await bench.store.deleteResponse('ann', 'r1')).toBe(true)
      expect(await other.responsesToStop()).toEqual([{ owner: 'ann', id: 'r1' }])
      expect(await bench.store.responsesToStop()).toEqual([])
      expect(await refusal(other.saveResponse(response('r1')))).toBe('response_deleted')
      expect(await other.getResponse('ann', 'r1')).toBeUndefined()
    })

    test('A cancellation reaches only the store whose process works on the response.', async () => {
      const other = await bench.openAgain()
      await other.saveResponse(response('r1', { status: 'in_progress' }))
      await bench.store.saveResponse(response('r2', { status: 'in_progress' }))
      expect(await bench.store.requestCancel('ann', 'r1')).toBe(true)
      expect(await bench.store.responsesToStop()).toEqual([])
      expect(await other.responsesToStop()).toEqual([{ owner: 'ann', id: 'r1' }])
      await other.saveResponse(response('r1', { status: 'cancelled' }))
      expect(await other.responsesToStop()).toEqual([])
    })

    test('Unfinished responses of another store are left alone until that store is closed.', async () => {
      const other = await bench.openAgain()
      const unfinished = response('r1', { status: 'in_progress', response: '{"status":"in_progress"}' })
      await other.saveResponse(unfinished)
      const third = await bench.openAgain()
      await bench.store.sweep(bench.clock.now())
      await bench.store.maintain()
      expect(await third.getResponse('ann', 'r1')).toEqual(unfinished)
      await other.close()
      expect(await third.getResponse('ann', 'r1')).toMatchObject({ status: 'failed' })
      const left = (await third.getResponse('ann', 'r1'))?.response ?? ''
      expect(JSON.parse(left)).toMatchObject({ status: 'failed', error: { code: 'server_restart' } })
    })
  })
}
