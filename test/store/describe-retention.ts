/** Part of the suite for all stores: limits, sweeping, and the end. */
import { describe, expect, test } from 'vitest'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import type { Bench } from './describe-store.ts'
import { conversation, HOUR, item, items, refusal, response, START } from './store-values.ts'

export function describeRetention(bench: Bench): void {
  const alive = async (store: Store, ...candidates: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = []
    for (const id of candidates) if (await store.getResponse('ann', id)) found.push(id)
    return found
  }

  describe('limits', () => {
    test('Beyond the limit of records, the record written longest ago is removed. [field G05]', async () => {
      const store = await bench.openWith({ maxRecords: 3 })
      // Neither the order of ids nor of creation is the order of writing.
      await store.saveResponse(response('z', { createdAt: START + 3 }))
      await store.saveResponse(response('m', { createdAt: START + 2 }))
      await store.saveResponse(response('a', { createdAt: START + 1 }))
      await store.saveResponse(response('z'))
      await store.saveResponse(response('b'))
      expect(await alive(store, 'a', 'b', 'm', 'z')).toEqual(['a', 'b', 'z'])
    })

    test('The limit of records includes conversations, and an append counts as a write.', async () => {
      const store = await bench.openWith({ maxRecords: 2 })
      await store.createConversation(conversation('c1'), [])
      await store.saveResponse(response('r1'))
      await store.appendItems('ann', 'c1', items('a'))
      await store.saveResponse(response('r2'))
      expect(await alive(store, 'r1', 'r2')).toEqual(['r2'])
      expect(await store.getConversation('ann', 'c1')).toBeDefined()
    })

    test('Beyond the limit of bytes, expired records are removed first, and no more than necessary.', async () => {
      const store = await bench.openWith({ maxBytes: 3000 })
      const kilobyte = { response: JSON.stringify('x'.repeat(800)) }
      await store.saveResponse(response('r1', kilobyte))
      await store.saveResponse(response('short', { ...kilobyte, expiresAt: START + 10 }))
      await store.saveResponse(response('r2', kilobyte))
      bench.clock.time = START + 10
      await store.saveResponse(response('r3', kilobyte))
      expect(await alive(store, 'r1', 'r2', 'r3')).toEqual(['r1', 'r2', 'r3'])
      await store.saveResponse(response('r4', kilobyte))
      expect(await alive(store, 'r1', 'r2', 'r3', 'r4')).toEqual(['r2', 'r3', 'r4'])
    })

    test('Bytes that a second save, a deletion or a shorter text frees are available again.', async () => {
      const store = await bench.openWith({ maxBytes: 3000 })
      const long = JSON.stringify('x'.repeat(1000))
      await store.saveResponse(response('kept'))
      await store.createConversation(conversation('c1', { metadata: long }), [])
      for (let round = 0; round < 5; round += 1) {
        await store.saveResponse(response('same', { response: long }))
        await store.updateConversation('ann', 'c1', { metadata: round % 2 ? long : '{}' })
        await store.appendItems('ann', 'c1', [{ id: 'i', json: JSON.stringify('y'.repeat(300)) }])
        await store.deleteItem('ann', 'c1', 'i')
        await store.saveResponse(response(`gone${round}`, { response: JSON.stringify('z'.repeat(200)) }))
        await store.deleteResponse('ann', `gone${round}`)
      }
      expect(await alive(store, 'kept', 'same')).toEqual(['kept', 'same'])
    })

    test.each([{ maxRecords: 10 }, { maxBytes: 10_000 }])(
      'An owner who stores more and more makes room with its own records, at the limits %j.',
      async limits => {
        const store = await bench.openWith(limits)
        const text = { response: JSON.stringify('x'.repeat(800)) }
        await store.saveResponse(response('first', text))
        await store.createConversation(conversation('c1'), items('a'))
        for (let i = 0; i < 40; i += 1) {
          await store.saveResponse(response(`flood${i}`, { ...text, owner: 'bob' }))
        }
        expect(await alive(store, 'first')).toEqual(['first'])
        expect(await store.getConversation('ann', 'c1')).toBeDefined()
        expect(await store.getResponse('bob', 'flood39')).toBeDefined()
        expect(await store.getResponse('bob', 'flood0')).toBeUndefined()
        for (let i = 0; i < 40; i += 1) await store.saveResponse(response(`more${i}`, text))
        // Both have as much as the other, and the latest of each is there.
        expect(await alive(store, 'first', 'more39')).toEqual(['more39'])
        expect(await store.getResponse('bob', 'flood39')).toBeDefined()
      },
    )

    test('A record that is larger than all others together is there once it has been saved.', async () => {
      const store = await bench.openWith({ maxBytes: 3000 })
      await store.saveResponse(response('r1', { response: JSON.stringify('x'.repeat(800)) }))
      const large = { owner: 'bob', response: JSON.stringify('x'.repeat(2500)) }
      await store.saveResponse(response('large', large))
      expect(await store.getResponse('bob', 'large')).toBeDefined()
    })

    test('A read is weighed without being read, and what does not exist weighs nothing.', async () => {
      const store = await bench.openWith({})
      const long = 'x'.repeat(5000)
      const input = [{ id: 'i1', json: JSON.stringify(long) }]
      await store.saveResponse(response('r1', { input }))
      await store.saveResponse(response('r2', { previousId: 'r1' }))
      await store.createConversation(conversation('c1'), [...input, ...items('b')])
      const query = { limit: 1, order: 'asc' } as const
      expect(await store.weigh('ann', { response: 'r1' })).toBeGreaterThan(5000)
      expect(await store.weigh('ann', { response: 'r2' })).toBeLessThan(5000)
      expect(await store.weigh('ann', { context: 'r2' })).toBeGreaterThan(5000)
      expect(await store.weigh('ann', { items: ['i1', 'i1'] })).toBeGreaterThan(10_000)
      expect(await store.weigh('ann', { conversation: 'c1', query })).toBeGreaterThan(5000)
      const after = { ...query, after: 'i1' }
      expect(await store.weigh('ann', { conversation: 'c1', query: after })).toBeLessThan(5000)
      for (const read of [
        { response: 'r1' },
        { context: 'r2' },
        { items: ['i1'] },
        { conversation: 'c1', query },
      ]) {
        expect(await store.weigh('bob', read)).toBe(0)
      }
    })

    test('A record larger than the limit is refused, and the others stay.', async () => {
      const store = await bench.openWith({ maxBytes: 1000 })
      const huge = JSON.stringify('x'.repeat(1000))
      await store.saveResponse(response('r1'))
      await store.createConversation(conversation('c1'), items('a'))
      expect(await refusal(store.saveResponse(response('r2', { response: huge })))).toBe('too_large')
      expect(await refusal(store.createConversation(conversation('c2', { metadata: huge }), []))).toBe(
        'too_large',
      )
      expect(await refusal(store.appendItems('ann', 'c1', [item('b', huge)]))).toBe('too_large')
      expect(await refusal(store.updateConversation('ann', 'c1', { metadata: huge }))).toBe('too_large')
      const half = JSON.stringify('x'.repeat(400))
      const doubled = response('r3', { conversationId: 'c1', output: [{ id: 'half', json: half }] })
      expect(await refusal(store.saveResponse(doubled))).toBe('too_large')
      expect(await alive(store, 'r1', 'r2', 'r3')).toEqual(['r1'])
      expect(await store.getItem('ann', 'c1', 'b')).toBeUndefined()
      expect(await store.getConversation('ann', 'c1')).toEqual(conversation('c1'))
    })

    test('Invalid limits are refused.', async () => {
      expect(await refusal(bench.openWith({ maxRecords: 1 }))).toBe('invalid')
      expect(await refusal(bench.openWith({ maxBytes: 0 }))).toBe('invalid')
    })
  })

  describe('a clock that jumps', () => {
    const year = 365 * 24 * HOUR

    test('A clock that jumps ahead by years deletes nothing, neither in sweeps nor in writes.', async () => {
      const clocks = { now: START, elapsed: 0 }
      const store = await bench.openWith({
        now: () => clocks.now,
        elapsed: () => clocks.elapsed,
        maxRecords: 3,
      })
      await store.saveResponse(response('r1'))
      await store.createConversation(conversation('c1'), items('a'))
      clocks.now += 10 * year
      clocks.elapsed += 1000
      expect(await store.sweep(clocks.now)).toBe(0)
      await store.saveResponse(response('r2', { expiresAt: START + 11 * year }))
      clocks.now -= 10 * year
      expect(await alive(store, 'r1', 'r2')).toEqual(['r1', 'r2'])
      expect(await store.getConversation('ann', 'c1')).toBeDefined()
    })

    test('A clock that has jumped ahead is believed after a day of running.', async () => {
      const clocks = { now: START, elapsed: 0 }
      const store = await bench.openWith({ now: () => clocks.now, elapsed: () => clocks.elapsed })
      await store.saveResponse(response('r1', { expiresAt: START + 40 * 24 * HOUR }))
      clocks.now += year
      for (let hour = 0; hour < 24; hour += 1) {
        expect(await store.sweep(clocks.now), `after ${hour} hours`).toBe(0)
        clocks.now += HOUR
        clocks.elapsed += HOUR
      }
      expect(await store.sweep(clocks.now)).toBe(1)
    })

    test('A clock that goes back deletes nothing, and what it wrote expires by the right time.', async () => {
      const clocks = { now: START, elapsed: 0 }
      const store = await bench.openWith({ now: () => clocks.now, elapsed: () => clocks.elapsed })
      await store.saveResponse(response('r1'))
      clocks.now -= year
      expect(await store.sweep(clocks.now)).toBe(0)
      clocks.now += year
      expect(await store.sweep(clocks.now)).toBe(0)
      expect(await alive(store, 'r1')).toEqual(['r1'])
    })
  })

  describe('sweeping', () => {
    test('A sweep deletes expired records and returns how many.', async () => {
      await bench.store.saveResponse(response('r1', { expiresAt: START + 10 }))
      await bench.store.createConversation(conversation('c1', { expiresAt: START + 10 }), items('a'))
      await bench.store.saveResponse(response('r2'))
      expect(await bench.store.sweep(START + 9)).toBe(0)
      expect(await bench.store.sweep(START + 10)).toBe(2)
      expect(await bench.store.sweep(START + 10)).toBe(0)
      // The clock has not moved: they would still be alive had they not been deleted.
      expect(await alive(bench.store, 'r1', 'r2')).toEqual(['r2'])
      expect(await bench.store.getConversation('ann', 'c1')).toBeUndefined()
    })

    test('A sweep deletes more than one batch.', async () => {
      for (let n = 0; n < 450; n += 1) await bench.store.saveResponse(response(`r${n}`))
      expect(await bench.store.sweep(START + HOUR)).toBe(450)
    })
  })

  test('A closed store refuses every operation and can be closed again.', async () => {
    const { store } = bench
    await store.check()
    await store.close()
    expect(await refusal(store.check())).toBe('closed')
    expect(await refusal(store.saveResponse(response('r1')))).toBe('closed')
    expect(await refusal(store.getResponse('ann', 'r1'))).toBe('closed')
    expect(await refusal(store.sweep(START))).toBe('closed')
    await store.close()
  })
}
