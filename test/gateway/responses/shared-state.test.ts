/** Two gateways on one store, asked in turns: threads, sockets, chains, conversations, hidden calls and kept reasoning go on. */
import { randomUUID } from 'node:crypto'
import { defineTool } from '@toolwire/core'
import { calls, says } from '@toolwire/core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'
import { clients } from '../../support/open-responses/clients.ts'
import type { Harness, HarnessOptions, Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { postgresPlaces, redisPlaces, sqlitePlaces } from '../../support/servers/shared-places.ts'

const kinds = [await sqlitePlaces(), await redisPlaces(), await postgresPlaces()]
afterAll(() => Promise.all(kinds.map(({ server }) => server?.stop())))

type Script = Parameters<typeof openHarness>[1]

describe.each(kinds)('on $name', ({ server, open }) => {
  const isHere = test.skipIf(server === undefined)

  /** The gateways have a script each: what the first is not asked, the second is. */
  async function pair(
    scripts: readonly [Script, Script],
    act: (one: Harness, other: Harness) => Promise<void>,
    options: HarnessOptions = {},
  ): Promise<void> {
    const place = `p${randomUUID()}`
    const stores: Store[] = [await open(place), await open(place)]
    // The key of the seal is that of the store.
    const [one, other] = scripts.map((script, at) =>
      openHarness('chat', script, { sealKeys: [], ...options, ...(stores[at] && { store: stores[at] }) }),
    )
    if (one === undefined || other === undefined) throw new Error('There are two.')
    try {
      await act(one, other)
    } finally {
      await Promise.all([one.gateway.close(), other.gateway.close()])
      await Promise.all(stores.map(store => store.close()))
    }
  }

  isHere('A thread of Messages goes on at the other gateway.', () =>
    pair([[says('Blue.'), says('Surely.')], [says('Yes.')]], async (one, other) => {
      const send = async ({ post }: Harness, content: string, thread: Json): Promise<Json> => {
        const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], thread }
        const answer = await post('/v1/messages', body)
        expect(answer.status, answer.text).toBe(200)
        return answer.json()
      }
      const first = await send(one, 'What colour?', { type: 'create' })
      const follow = (id: unknown): Json => ({ type: 'continue', previous_message_id: id })
      const second = await send(other, 'Sure?', follow(first.id))
      expect(JSON.stringify(other.model.requests[0]?.body)).toContain('What colour?')
      await send(one, 'Quite?', follow(second.id))
      const [, last] = one.model.requests
      for (const text of ['What colour?', 'Blue.', 'Sure?', 'Yes.', 'Quite?']) {
        expect(JSON.stringify(last?.body)).toContain(text)
      }
    }),
  )

  isHere('A chain on a socket goes on at a socket of the other gateway, and over HTTP.', () =>
    pair([[says('Blue.'), says('Quite.')], [says('Yes.')]], async (one, other) => {
      const ask = async ({ gateway }: Harness, more: Json): Promise<Json> => {
        const socket = await openTestSocket(gateway)
        socket.send({ type: 'response.create', model: 'm', ...more })
        const messages = await socket.response()
        socket.disconnect()
        expect(messages.at(-1)?.type).toBe('response.completed')
        return messages.at(-1)?.response as Json
      }
      const first = await ask(one, { input: 'What colour?' })
      const second = await ask(other, { input: 'Sure?', previous_response_id: first.id })
      expect(JSON.stringify(other.model.requests[0]?.body)).toContain('Blue.')
      const body = { model: 'm', input: 'Really?', previous_response_id: second.id }
      expect((await one.post('/v1/responses', body)).status).toBe(200)
      const [, last] = one.model.requests
      for (const text of ['What colour?', 'Blue.', 'Sure?', 'Yes.', 'Really?']) {
        expect(JSON.stringify(last?.body)).toContain(text)
      }
    }),
  )

  isHere('A conversation that one gateway made is added to by the other.', () =>
    pair([[says('Blue.')], [says('Yes.')]], async (one, other) => {
      const made = (await one.post('/v1/conversations', {})).json()
      const turn = (input: string): Json => ({ model: 'm', input, conversation: made.id })
      expect((await one.post('/v1/responses', turn('What colour?'))).status).toBe(200)
      expect((await other.post('/v1/responses', turn('Sure?'))).status).toBe(200)
      expect(JSON.stringify(other.model.requests[0]?.body)).toContain('Blue.')
      const items = (await one.get(`/v1/conversations/${String(made.id)}/items`)).json()
      expect(items.data).toHaveLength(4)
    }),
  )

  describe.each(['chat', 'messages', 'responses'] as const)('for a client of %s', from => {
    isHere('Calls that one gateway ran beside those of the client are restored by the other.', () => {
      const tool = defineTool({ name: 'clock', handler: () => '12:00' })
      const both = calls(
        { name: 'clock', arguments: {}, id: 'call_c' },
        { name: 'mine', arguments: {}, id: 'call_m' },
      )
      const act = async (one: Harness, other: Harness): Promise<void> => {
        const client = clients[from]
        const question = client.user('What time is it?')
        const answer = await one.post(client.path, client.body([question], ['mine'], {}))
        const first = client.read(answer)
        expect(first.calls).toEqual([{ id: 'call_m', name: 'mine' }])
        const history = [question, ...first.turns, ...client.results({ call_m: 'my result' })]
        const second = await other.post(client.path, client.body(history, ['mine'], {}))
        expect(second.status, second.text).toBe(200)
        const [seen] = other.model.requests
        expect(seen?.calls.map(({ id }) => id)).toEqual(['call_c', 'call_m'])
        expect(seen?.results.map(({ text }) => text)).toEqual(['12:00', 'my result'])
      }
      return pair([[both], [says('Done.')]], act, { tools: [tool] })
    })
  })
})
