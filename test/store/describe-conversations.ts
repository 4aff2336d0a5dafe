/** Part of the suite for all stores: conversations, their items, and the responses made in them. */
import { describe, expect, test } from 'vitest'
import type { Bench } from './describe-store.ts'
import { conversation, HOUR, ids, item, items, refusal, response, START } from './store-values.ts'

export function describeConversations(bench: Bench): void {
  const listed = async (id = 'c1'): Promise<readonly string[] | undefined> =>
    ids((await bench.store.listItems('ann', id, { limit: 1000, order: 'asc' }))?.items)

  describe('conversations', () => {
    test('A conversation is returned as it was created and updated.', async () => {
      const made = conversation('c1', { metadata: '{"topic": "x"}' })
      await bench.store.createConversation(made, items('a', 'b'))
      expect(await bench.store.getConversation('ann', 'c1')).toEqual(made)
      expect(await listed()).toEqual(['a', 'b'])
      expect(await bench.store.updateConversation('ann', 'c1', { metadata: '{"topic":"y"}' })).toBe(true)
      expect(await bench.store.updateConversation('ann', 'c1', { expiresAt: START + 2 * HOUR })).toBe(true)
      const changed = { ...made, metadata: '{"topic":"y"}', expiresAt: START + 2 * HOUR }
      expect(await bench.store.getConversation('ann', 'c1')).toEqual(changed)
      expect(await listed()).toEqual(['a', 'b'])
    })

    test('A conversation cannot be created under the id of another that has not expired.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      expect(await refusal(bench.store.createConversation(conversation('c1'), []))).toBe('already_exists')
      await bench.store.createConversation(conversation('c1', { owner: 'bob' }), [])
      bench.clock.time = START + HOUR
      await bench.store.createConversation(conversation('c1', { expiresAt: START + 2 * HOUR }), items('b'))
      expect(await listed()).toEqual(['b'])
    })

    test('A conversation may have the same id as a response.', async () => {
      await bench.store.saveResponse(response('same'))
      await bench.store.createConversation(conversation('same'), [])
      expect(await bench.store.deleteConversation('ann', 'same')).toBe(true)
      expect(await bench.store.getResponse('ann', 'same')).toEqual(response('same'))
    })

    test('A conversation of many items is gone at once, and others run while its items are removed.', async () => {
      const many = Array.from({ length: 20_000 }, (_, i) => item(`i${i}`))
      await bench.store.createConversation(conversation('c1'), many)
      let turns = 0
      let isOver = false
      const count = (): void => {
        turns++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      const deleted = bench.store.deleteConversation('ann', 'c1')
      if (bench.isPooled) await deleted
      expect(await bench.store.getConversation('ann', 'c1')).toBeUndefined()
      expect((await bench.store.getItems('ann', ['i0', 'i19999'])).size).toBe(0)
      expect(await deleted).toBe(true)
      isOver = true
      expect(turns).toBeGreaterThan(2)
      expect(await bench.store.deleteConversation('ann', 'c1')).toBe(false)
      await bench.store.createConversation(conversation('c1'), items('i0'))
      expect(await listed()).toEqual(['i0'])
    })

    test('A deleted conversation is gone together with its items.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      expect(await bench.store.deleteConversation('ann', 'c1')).toBe(true)
      expect(await bench.store.deleteConversation('ann', 'c1')).toBe(false)
      expect(await bench.store.getConversation('ann', 'c1')).toBeUndefined()
      expect(await listed()).toBeUndefined()
      expect((await bench.store.getItems('ann', ['a'])).size).toBe(0)
    })

    test.each(['of another owner', 'that has expired', 'that was never created'])(
      'A conversation %s does not exist for any operation.',
      async which => {
        if (which === 'of another owner')
          await bench.store.createConversation(conversation('c1', { owner: 'bob' }), items('a'))
        if (which === 'that has expired')
          await bench.store.createConversation(conversation('c1', { expiresAt: START }), items('a'))
        const { store } = bench
        expect(await store.getConversation('ann', 'c1')).toBeUndefined()
        expect(await store.updateConversation('ann', 'c1', { metadata: '{}' })).toBe(false)
        expect(await store.appendItems('ann', 'c1', items('b'))).toBe(false)
        expect(await store.listItems('ann', 'c1', { limit: 1, order: 'asc' })).toBeUndefined()
        expect(await store.getItem('ann', 'c1', 'a')).toBeUndefined()
        expect(await store.deleteItem('ann', 'c1', 'a')).toBe(false)
        expect(await store.deleteConversation('ann', 'c1')).toBe(false)
        expect(await refusal(store.saveResponse(response('r1', { conversationId: 'c1' })))).toBe(
          'conversation_not_found',
        )
        expect(await store.getResponse('ann', 'r1')).toBeUndefined()
      },
    )
  })

  describe('items of a conversation', () => {
    test('Items are appended, read and deleted one by one.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      expect(await bench.store.appendItems('ann', 'c1', items('b', 'c'))).toBe(true)
      expect(await bench.store.getItem('ann', 'c1', 'b')).toEqual(item('b'))
      expect(await bench.store.deleteItem('ann', 'c1', 'b')).toBe(true)
      expect(await bench.store.deleteItem('ann', 'c1', 'b')).toBe(false)
      expect(await bench.store.getItem('ann', 'c1', 'b')).toBeUndefined()
      await bench.store.appendItems('ann', 'c1', items('b'))
      expect(await listed()).toEqual(['a', 'c', 'b'])
    })

    test('An item is found only in its own conversation.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      await bench.store.createConversation(conversation('c2'), items('a', 'b'))
      expect(await bench.store.getItem('ann', 'c1', 'b')).toBeUndefined()
      expect(await bench.store.deleteItem('ann', 'c1', 'a')).toBe(true)
      expect(await listed('c2')).toEqual(['a', 'b'])
    })

    test('An append is refused completely when one of its items already exists or occurs twice. [field G03]', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      expect(await refusal(bench.store.appendItems('ann', 'c1', items('b', 'a')))).toBe('duplicate_item')
      expect(await refusal(bench.store.appendItems('ann', 'c1', items('c', 'c')))).toBe('duplicate_item')
      expect(await refusal(bench.store.createConversation(conversation('c2'), items('a', 'a')))).toBe(
        'duplicate_item',
      )
      expect(await listed()).toEqual(['a'])
      expect(await bench.store.getConversation('ann', 'c2')).toBeUndefined()
    })

    test.each(['asc', 'desc'] as const)('Items are listed page by page in order %s.', async order => {
      const all = ['a', 'b', 'c', 'd', 'e']
      await bench.store.createConversation(conversation('c1'), items(...all))
      const expected = order === 'asc' ? all : all.toReversed()
      const seen: string[] = []
      for (let hasMore = true; hasMore; ) {
        const after = seen.at(-1)
        const page = await bench.store.listItems('ann', 'c1', { ...(after && { after }), limit: 2, order })
        seen.push(...(ids(page?.items) ?? []))
        hasMore = page?.hasMore ?? false
        expect(hasMore).toBe(seen.length < 5)
      }
      expect(seen).toEqual(expected)
      expect(await bench.store.listItems('ann', 'c1', { limit: 5, order })).toMatchObject({ hasMore: false })
    })

    test('A list is refused for an unknown cursor, limit or order.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      const list = (query: object): Promise<unknown> =>
        bench.store.listItems('ann', 'c1', { limit: 1, order: 'asc', ...query })
      expect(await refusal(list({ after: 'gone' }))).toBe('unknown_cursor')
      expect(await refusal(list({ limit: 0 }))).toBe('invalid')
      expect(await refusal(list({ limit: Number.MAX_SAFE_INTEGER }))).toBeUndefined()
      expect(await refusal(list({ order: 'up' }))).toBe('invalid')
    })
  })

  describe('a response in a conversation', () => {
    const inC1 = { conversationId: 'c1' } as const

    test.each(['completed', 'incomplete'])(
      'A response that is %s adds its items to the conversation once.',
      async status => {
        await bench.store.createConversation(conversation('c1'), items('a'))
        await bench.store.saveResponse(response('r1', { ...inC1, status: 'in_progress', output: [] }))
        expect(await listed()).toEqual(['a'])
        await bench.store.saveResponse(response('r1', { ...inC1, status }))
        await bench.store.saveResponse(response('r1', { ...inC1, status }))
        expect(await listed()).toEqual(['a', 'r1-in', 'r1-out'])
        await bench.store.deleteResponse('ann', 'r1')
        expect(await listed()).toEqual(['a', 'r1-in', 'r1-out'])
      },
    )

    test.each(['failed', 'cancelled', 'queued'])(
      'A response that is %s adds nothing to the conversation.',
      async status => {
        await bench.store.createConversation(conversation('c1'), items('a'))
        await bench.store.saveResponse(response('r1', { ...inC1, status }))
        expect(await listed()).toEqual(['a'])
        expect(await bench.store.context('ann', 'r1')).toBeUndefined()
        expect(await bench.store.getResponse('ann', 'r1')).toMatchObject({ status, conversationId: 'c1' })
      },
    )

    test.each(['completed', 'in_progress'])(
      'A response that is %s is refused completely when it repeats an item. [field G03]',
      async status => {
        await bench.store.createConversation(conversation('c1'), items('a'))
        const record = response('r1', { ...inC1, status, input: items('new', 'a') })
        expect(await refusal(bench.store.saveResponse(record))).toBe('duplicate_item')
        expect(await bench.store.getResponse('ann', 'r1')).toBeUndefined()
        expect(await listed()).toEqual(['a'])
      },
    )

    test('A response extends the life of its conversation to its own.', async () => {
      await bench.store.createConversation(conversation('c1'), [])
      await bench.store.saveResponse(response('r1', { ...inC1, expiresAt: START + 5 * HOUR }))
      await bench.store.saveResponse(response('r2', { ...inC1, expiresAt: START + 10 }))
      expect(await bench.store.getConversation('ann', 'c1')).toMatchObject({ expiresAt: START + 5 * HOUR })
    })

    test('The context of a response is what its conversation had before, then its own items.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      await bench.store.saveResponse(response('r1', inC1))
      await bench.store.saveResponse(response('r2', inC1))
      await bench.store.appendItems('ann', 'c1', items('z'))
      const r1 = ['a', 'r1-in', 'r1-out']
      expect(ids(await bench.store.context('ann', 'r1'))).toEqual(r1)
      expect(ids(await bench.store.context('ann', 'r2'))).toEqual([...r1, 'r2-in', 'r2-out'])
      await bench.store.saveResponse(response('next', { previousId: 'r1' }))
      expect(ids(await bench.store.context('ann', 'next'))).toEqual([...r1, 'next-in', 'next-out'])
      await bench.store.deleteItem('ann', 'c1', 'a')
      expect(ids(await bench.store.context('ann', 'r1'))).toEqual(['r1-in', 'r1-out'])
    })

    test('A response has no context once its conversation is deleted, even if another has taken its id.', async () => {
      await bench.store.createConversation(conversation('c1'), items('a'))
      await bench.store.saveResponse(response('r1', inC1))
      await bench.store.deleteConversation('ann', 'c1')
      expect(await bench.store.context('ann', 'r1')).toBeUndefined()
      await bench.store.createConversation(conversation('c1'), items('other'))
      expect(await bench.store.context('ann', 'r1')).toBeUndefined()
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(response('r1', inC1))
    })

    test.each(['completed', 'incomplete', 'failed', 'cancelled'])(
      'A response whose conversation is deleted while it is worked on can still end as %s.',
      async status => {
        const { store } = bench
        await store.createConversation(conversation('c1'), items('a'))
        await store.saveResponse(response('r1', { ...inC1, status: 'queued' }))
        await store.deleteConversation('ann', 'c1')
        await store.saveResponse(response('r1', { ...inC1, status: 'in_progress' }))
        const ended = response('r1', { ...inC1, status })
        // Whoever did not get the receipt saves it once more.
        for (const record of [ended, ended]) await store.saveResponse(record)
        expect(await store.getResponse('ann', 'r1')).toEqual(ended)
        expect(await store.context('ann', 'r1')).toBeUndefined()
        expect(await store.getConversation('ann', 'c1')).toBeUndefined()
        const elsewhere = response('r2', { status: 'in_progress' })
        await store.saveResponse(elsewhere)
        const moved = { ...elsewhere, ...inC1, status }
        expect(await refusal(store.saveResponse(moved))).toBe('conversation_not_found')
      },
    )

    test('A response cannot continue both a conversation and a response.', async () => {
      await bench.store.createConversation(conversation('c1'), [])
      const both = response('r1', { ...inC1, previousId: 'r0' })
      expect(await refusal(bench.store.saveResponse(both))).toBe('invalid')
    })
  })
}
