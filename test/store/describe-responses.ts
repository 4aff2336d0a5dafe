/** Part of the suite for all stores: responses, their chains and their items. */
import { describe, expect, test } from 'vitest'
import type { Bench } from './describe-store.ts'
import { HOUR, ids, item, items, refusal, response, START } from './store-values.ts'

export function describeResponses(bench: Bench): void {
  describe('responses', () => {
    test('A response is returned exactly as it was saved.', async () => {
      const odd = '{ "b":1,\n"a":1.0, "emoji":"\u{1F600}", "big":12345678901234567890, "__proto__":{"x":1} }'
      const record = response('r1', {
        previousId: 'r0',
        status: 'incomplete',
        response: odd,
        input: [{ id: 'in', json: odd }, item('in2')],
        output: [item('out'), { id: 'out2', json: '""' }],
      })
      await bench.store.saveResponse(record)
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(record)
    })

    test('A response may be several megabytes long.', async () => {
      const long = JSON.stringify('ä'.repeat(1_500_000))
      const record = response('r1', { response: long, output: [{ id: 'out', json: long }] })
      await bench.store.saveResponse(record)
      // Beside them may be the pieces that they came in.
      expect(await bench.store.getResponse('ann', 'r1')).toMatchObject({ ...record })
    })

    test('A second save replaces a response completely.', async () => {
      await bench.store.saveResponse(response('r1', { status: 'in_progress', output: [] }))
      const second = response('r1', { input: items('new-in'), output: items('new-out') })
      await bench.store.saveResponse(second)
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(second)
      expect([...(await bench.store.getItems('ann', ['r1-in', 'new-in'])).keys()]).toEqual(['new-in'])
    })

    test('Changing a saved or returned object does not change the store.', async () => {
      const input = items('in')
      await bench.store.saveResponse(response('r1', { input }))
      input.push(item('later'))
      const read = await bench.store.getResponse('ann', 'r1')
      ;(read?.output as unknown[]).length = 0
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(response('r1', { input: items('in') }))
    })

    test('A deleted response is gone together with its items.', async () => {
      await bench.store.saveResponse(response('r1'))
      expect(await bench.store.deleteResponse('ann', 'r1')).toBe(true)
      expect(await bench.store.deleteResponse('ann', 'r1')).toBe(false)
      expect(await bench.store.getResponse('ann', 'r1')).toBeUndefined()
      expect(await bench.store.context('ann', 'r1')).toBeUndefined()
      expect((await bench.store.getItems('ann', ['r1-in', 'r1-out'])).size).toBe(0)
    })

    test.each(['completed', 'in_progress'])(
      'A late save does not bring back a response that was deleted when it was %s.',
      async status => {
        await bench.store.saveResponse(response('r1', { status }))
        await bench.store.deleteResponse('ann', 'r1')
        expect(await refusal(bench.store.saveResponse(response('r1')))).toBe('response_deleted')
        expect(await bench.store.getResponse('ann', 'r1')).toBeUndefined()
        expect((await bench.store.getItems('ann', ['r1-in', 'r1-out'])).size).toBe(0)
        await bench.store.saveResponse(response('r1', { owner: 'bob' }))
        expect(await bench.store.getResponse('bob', 'r1')).toBeDefined()
      },
    )

    test('A response that is worked on can be marked as to be stopped, and a finished one cannot.', async () => {
      const { store } = bench
      await store.saveResponse(response('r1', { status: 'in_progress' }))
      await store.saveResponse(response('r2'))
      await store.saveResponse(response('r3', { status: 'queued' }))
      expect(await store.responsesToStop()).toEqual([])
      expect(await store.requestCancel('bob', 'r1')).toBe(false)
      expect(await store.requestCancel('ann', 'r2')).toBe(false)
      expect(await store.requestCancel('ann', 'r1')).toBe(true)
      expect(await store.responsesToStop()).toEqual([{ owner: 'ann', id: 'r1' }])
      // The work may save once more before it notices.
      await store.saveResponse(response('r1', { status: 'in_progress' }))
      expect(await store.responsesToStop()).toEqual([{ owner: 'ann', id: 'r1' }])
      await store.saveResponse(response('r1', { status: 'cancelled' }))
      expect(await store.responsesToStop()).toEqual([])
      await store.deleteResponse('ann', 'r3')
      expect(await store.responsesToStop()).toEqual([{ owner: 'ann', id: 'r3' }])
    })

    test.each(['completed', 'incomplete', 'failed', 'cancelled'])(
      'A response that has ended as %s stays so, whatever is saved late.',
      async end => {
        const { store } = bench
        await store.saveResponse(response('r1', { status: 'in_progress' }))
        const ended = response('r1', { status: end, response: '{"a":1}' })
        await store.saveResponse(ended)
        for (const status of ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']) {
          if (status === end) continue
          const late = response('r1', { status, output: items('late') })
          expect(await refusal(store.saveResponse(late)), status).toBe('lease_lost')
        }
        expect(await store.getResponse('ann', 'r1')).toEqual(ended)
        expect((await store.getItems('ann', ['late'])).size).toBe(0)
        // Whoever did not get the receipt saves it once more.
        await store.saveResponse(ended)
        expect(await store.getResponse('ann', 'r1')).toEqual(ended)
        bench.clock.time = START + HOUR
        await store.saveResponse(response('r1', { status: 'in_progress', expiresAt: START + 2 * HOUR }))
        expect(await store.getResponse('ann', 'r1')).toMatchObject({ status: 'in_progress' })
      },
    )

    test('A response of another owner does not exist for any operation.', async () => {
      await bench.store.saveResponse(response('r1'))
      expect(await bench.store.getResponse('bob', 'r1')).toBeUndefined()
      expect(await bench.store.context('bob', 'r1')).toBeUndefined()
      expect((await bench.store.getItems('bob', ['r1-in'])).size).toBe(0)
      expect(await bench.store.deleteResponse('bob', 'r1')).toBe(false)
      const bobs = response('r1', { owner: 'bob', response: '{"of":"bob"}', input: items('r1-in') })
      await bench.store.saveResponse(bobs)
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(response('r1'))
      expect(await bench.store.getResponse('bob', 'r1')).toEqual(bobs)
    })

    test.each(["'; DROP TABLE records; --", '" OR 1=1', '%', '*', '{ann}:r1', '__proto__', 'ann\u2028'])(
      'An id and owner such as %j are not confused with others.',
      async odd => {
        await bench.store.saveResponse(response('r1'))
        const record = response(odd, { owner: odd })
        await bench.store.saveResponse(record)
        expect(await bench.store.getResponse(odd, odd)).toEqual(record)
        expect(await bench.store.getResponse(odd, 'r1')).toBeUndefined()
        expect(await bench.store.deleteResponse(odd, odd)).toBe(true)
        expect(await bench.store.getResponse('ann', 'r1')).toEqual(response('r1'))
      },
    )

    test.each(['', 'a\nb', 'nul\0', 'half \ud800', 'x'.repeat(1025)])(
      'An id such as %j is refused.',
      async id => {
        expect(await refusal(bench.store.saveResponse(response(id)))).toBe('invalid')
        expect(await refusal(bench.store.saveResponse(response('r1', { owner: id })))).toBe('invalid')
        expect(await refusal(bench.store.saveResponse(response('r1', { previousId: id })))).toBe('invalid')
        expect(await refusal(bench.store.saveResponse(response('r1', { input: [{ id, json: '{}' }] })))).toBe(
          'invalid',
        )
        expect(await refusal(bench.store.getResponse('ann', id))).toBe('invalid')
        expect(await refusal(bench.store.context(id, 'r1'))).toBe('invalid')
        expect(await refusal(bench.store.getItems('ann', [id]))).toBe('invalid')
        expect(await bench.store.getResponse('ann', 'r1')).toBeUndefined()
      },
    )

    test('Texts that a database would change, and invalid times, are refused.', async () => {
      const texts = ['a\0b', '\ud800']
      for (const text of texts) {
        expect(await refusal(bench.store.saveResponse(response('r1', { response: text })))).toBe('invalid')
      }
      expect(await refusal(bench.store.saveResponse(response('r1', { createdAt: 1.5 })))).toBe('invalid')
      expect(await refusal(bench.store.saveResponse(response('r1', { expiresAt: Number.NaN })))).toBe(
        'invalid',
      )
    })

    test('A response is absent from the moment it expires, and its id may be used again.', async () => {
      await bench.store.saveResponse(response('r1'))
      bench.clock.time = START + HOUR - 1
      expect(await bench.store.getResponse('ann', 'r1')).toBeDefined()
      bench.clock.time = START + HOUR
      expect(await bench.store.getResponse('ann', 'r1')).toBeUndefined()
      expect(await bench.store.context('ann', 'r1')).toBeUndefined()
      expect((await bench.store.getItems('ann', ['r1-in'])).size).toBe(0)
      expect(await bench.store.deleteResponse('ann', 'r1')).toBe(false)
      const again = response('r1', { expiresAt: START + 3 * HOUR })
      await bench.store.saveResponse(again)
      expect(await bench.store.getResponse('ann', 'r1')).toEqual(again)
    })
  })

  describe('the context of a response', () => {
    const chain = async (): Promise<void> => {
      await bench.store.saveResponse(response('r1', { input: items('a', 'b'), output: items('c', 'd') }))
      await bench.store.saveResponse(response('r2', { previousId: 'r1', input: items('e'), output: [] }))
      await bench.store.saveResponse(response('r3', { previousId: 'r2', input: [], output: items('f') }))
    }

    test('The context is the input and output of the entire chain with its calls, oldest first. [field G01]', async () => {
      await chain()
      expect(ids(await bench.store.context('ann', 'r3'))).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
      expect(await bench.store.context('ann', 'r1')).toEqual(items('a', 'b', 'c', 'd'))
    })

    test('Two responses may continue the same response, each with its own context.', async () => {
      await chain()
      await bench.store.saveResponse(response('other', { previousId: 'r1' }))
      expect(ids(await bench.store.context('ann', 'other'))).toEqual([
        'a',
        'b',
        'c',
        'd',
        'other-in',
        'other-out',
      ])
    })

    test.each(['r1', 'r2', 'r3'])('The context is absent, not shorter, when %s is deleted.', async id => {
      await chain()
      await bench.store.deleteResponse('ann', id)
      expect(await bench.store.context('ann', 'r3')).toBeUndefined()
    })

    test('The context is absent when a response of the chain has expired.', async () => {
      await chain()
      await bench.store.saveResponse(response('r2', { previousId: 'r1', expiresAt: START + 10 }))
      bench.clock.time = START + 10
      expect(await bench.store.context('ann', 'r3')).toBeUndefined()
      expect(await bench.store.context('ann', 'r1')).toBeDefined()
    })

    test('The context is absent when a response of the chain has another owner, even if the ids match. [field G05]', async () => {
      await bench.store.saveResponse(response('r1', { owner: 'bob' }))
      await bench.store.saveResponse(response('r2', { previousId: 'r1' }))
      expect(await bench.store.context('ann', 'r2')).toBeUndefined()
    })

    test('The context is absent when the chain is circular.', async () => {
      await bench.store.saveResponse(response('r1', { previousId: 'r2' }))
      await bench.store.saveResponse(response('r2', { previousId: 'r1' }))
      expect(await bench.store.context('ann', 'r2')).toBeUndefined()
    })

    test('A chain may have a thousand responses.', async () => {
      for (let n = 0; n < 1000; n += 1) {
        await bench.store.saveResponse(
          response(`r${n}`, { ...(n === 0 ? {} : { previousId: `r${n - 1}` }), output: [] }),
        )
      }
      const context = ids(await bench.store.context('ann', 'r999'))
      expect(context).toEqual(Array.from({ length: 1000 }, (_, n) => `r${n}-in`))
    })
  })

  describe('items by id', () => {
    test('Items are found in responses and conversations, and unknown ids are left out.', async () => {
      await bench.store.saveResponse(response('r1'))
      await bench.store.createConversation(
        { owner: 'ann', id: 'c1', createdAt: START, expiresAt: START + HOUR, metadata: '{}' },
        items('in-conversation'),
      )
      const found = await bench.store.getItems('ann', ['r1-out', 'nobody', 'in-conversation', 'r1-out'])
      expect([...found.values()]).toEqual(items('r1-out', 'in-conversation'))
    })

    test('The item written last is returned when an id occurs twice, and the other one once that is deleted.', async () => {
      await bench.store.saveResponse(response('r1', { output: [item('same', 'old')] }))
      await bench.store.saveResponse(response('r2', { input: [item('same', 'new')], expiresAt: START + 10 }))
      expect((await bench.store.getItems('ann', ['same'])).get('same')).toEqual(item('same', 'new'))
      bench.clock.time = START + 10
      expect((await bench.store.getItems('ann', ['same'])).get('same')).toEqual(item('same', 'old'))
    })
  })
}
