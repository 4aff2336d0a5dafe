/** An upstream that keeps responses and conversations itself: a client reaches them through the gateway as if it were there. */
import { defineTool } from '@toolwire/core'
import { calls, type ScriptFunction, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { GatewayClient, Harness, Json } from '../../support/open-responses/gateway.ts'
import {
  clientOf,
  openHarness,
  transportTo,
  until,
  upstreamTo,
} from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

interface Stage {
  readonly client: GatewayClient
  /** The upstream: a server of Responses with a store of its own. */
  readonly upstream: Harness
  /** Method and path of every request that the upstream got. */
  readonly asked: string[]
  as(key: string): GatewayClient
}

interface StageOptions extends Partial<GatewayOptions> {
  readonly upstream?: Partial<Upstream>
  /** Upstreams beside the one that keeps state. */
  readonly others?: readonly Upstream[]
  readonly script?: ScriptFunction
}

function open({ upstream: more = {}, others = [], script, ...options }: StageOptions = {}): Stage {
  const upstream = openHarness('chat', script ?? (({ user }) => says(`You said ${user}`)), {
    allowedHosts: ['*'],
  })
  const asked: string[] = []
  const handler = createFetchHandler(upstream.gateway)
  const transport = transportTo(async (url, init) => {
    const request = new Request(url, init)
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search}`)
    return handler(request)
  })
  const gateway = createGateway({
    store: createMemoryStore(),
    ...options,
    upstreams: [upstreamTo('responses', transport, { apiKey: 'of the gateway', ...more }), ...others],
  })
  return { client: clientOf(gateway), upstream, asked, as: key => clientOf(gateway, key) }
}

const create = async ({ post }: GatewayClient, more: Json = {}): Promise<Json> => {
  const told = await post('/v1/responses', { model: 'm', input: 'Hi', ...more })
  expect(told.status, told.text).toBe(200)
  return told.json()
}

const idOf = ([first]: readonly Json[]): unknown => (first?.response as Json | undefined)?.id

const hasEnded = ({ status }: Json): boolean => status !== 'queued' && status !== 'in_progress'

describe('responses', () => {
  test('A response is read, its input listed, and it is deleted where it is.', async () => {
    const { client, asked, upstream } = open()
    const made = await create(client)
    const read = await client.get(`/v1/responses/${made.id}`)
    expect([read.status, read.headers['x-toolwire-upstream']]).toEqual([200, 'scripted'])
    expect(read.json()).toEqual(made)
    const listed = await client.get(`/v1/responses/${made.id}/input_items?limit=1&order=asc`)
    expect(listed.json()).toMatchObject({ object: 'list', data: [{ type: 'message', role: 'user' }] })
    const deleted = await client.remove(`/v1/responses/${made.id}`)
    expect(deleted.json()).toEqual({ id: made.id, object: 'response', deleted: true })
    expect((await upstream.get(`/v1/responses/${made.id}`)).status).toBe(404)
    expect(asked.slice(1)).toEqual([
      `GET /v1/responses/${made.id}`,
      `GET /v1/responses/${made.id}/input_items?limit=1&order=asc`,
      `DELETE /v1/responses/${made.id}`,
    ])
  })

  test('An id that the upstream does not know gets the words of the gateway.', async () => {
    const { client, asked } = open()
    for (const path of ['resp_none', 'resp_none/input_items', 'resp_none?stream=true']) {
      const told = await client.get(`/v1/responses/${path}`)
      expect(told.status, path).toBe(404)
      expect(told.json().error).toMatchObject({
        code: 'response_not_found',
        message: "Response with id 'resp_none' not found.",
      })
    }
    expect(asked).toHaveLength(3)
  })

  test.each(['%2e%2e', '..', '.', '%2E%2E%2Fmodels'])(
    'An id that would lead to another path, %s, does not.',
    async id => {
      const { client, asked } = open()
      expect((await client.get(`/v1/responses/${id}/input_items`)).status).toBe(404)
      expect(asked.every(line => line.startsWith('GET /v1/responses/..%2Fmodels/'))).toBe(true)
    },
  )

  test('A response in the background is followed to its end, streamed from any event on, and cancelled.', async () => {
    const { client } = open()
    const receipt = await create(client, { background: true })
    const ended = await until(() => client.get(`/v1/responses/${receipt.id}`), hasEnded)
    expect(ended).toMatchObject({ id: receipt.id, status: 'completed' })
    const begun = await client.post('/v1/responses', {
      model: 'm',
      input: 'Stream',
      background: true,
      stream: true,
    })
    const all = eventsOf(begun.text)
    const id = idOf(all)
    const again = await client.get(`/v1/responses/${id}?stream=true`)
    expect([again.status, again.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(eventsOf(again.text)).toEqual(all)
    const rest = await client.get(`/v1/responses/${id}?stream=true&starting_after=3`)
    expect(eventsOf(rest.text)).toEqual(all.slice(4))
    const cancelled = await client.post(`/v1/responses/${receipt.id}/cancel`, {})
    expect(cancelled.json()).toMatchObject({ id: receipt.id, status: 'completed' })
  })

  test('A gateway with tools of its own passes them on all the same.', async () => {
    const tools = [defineTool({ name: 'clock', handler: () => 'noon' })]
    const { client, upstream } = open({ tools })
    const made = await create(upstream)
    expect((await client.get(`/v1/responses/${made.id}`)).json()).toEqual(made)
    const receipt = await create(client, { background: true })
    const ended = await until(() => client.get(`/v1/responses/${receipt.id}`), hasEnded)
    expect(ended).toMatchObject({ id: receipt.id, status: 'completed' })
    expect((await client.get('/v1/responses/resp_none?stream=true')).status).toBe(404)
    expect((await client.post('/v1/conversations', {})).status).toBe(200)
  })

  describe('in the background, with tools of the gateway', () => {
    const tools = [defineTool({ name: 'clock', handler: () => 'noon' })]
    const script: ScriptFunction = ({ results }) =>
      results.length === 0 ? calls({ name: 'clock', arguments: {} }) : says(`It is ${results.at(-1)?.text}`)

    test.each([false, true])(
      'They are run, and the response is the gateway’s own. Streamed: %s',
      async stream => {
        const { client, asked } = open({ tools, script })
        const told = await client.post('/v1/responses', { model: 'm', input: 'Hi', background: true, stream })
        expect(told.status, told.text).toBe(200)
        const id = String(stream ? idOf(eventsOf(told.text)) : told.json().id)
        const done = await until(() => client.get(`/v1/responses/${id}`), hasEnded)
        expect(JSON.stringify(done.output)).toContain('It is noon')
        expect(asked).toEqual(['POST /v1/responses', 'POST /v1/responses'])
        const next = await create(client, { previous_response_id: id })
        expect(JSON.stringify(next.output)).toContain('noon')
      },
    )

    test('Where it cannot be run here, that is said.', async () => {
      const first = open({ tools, script })
      const { id } = await create(first.client)
      const upstreams = [upstreamTo('responses', transportTo(fetchTo(first.upstream)))]
      const plain = createGateway({ tools, upstreams })
      const after = { model: 'm', input: 'Hi', background: true }
      const stages = [
        [first.client, { ...after, previous_response_id: id }],
        [first.client, { ...after, conversation: 'conv_1' }],
        [clientOf(plain), after],
      ] as const
      for (const [client, body] of stages) {
        const told = await client.post('/v1/responses', body)
        expect(told.status).toBe(400)
        expect(told.json().error).toMatchObject({ code: 'background_without_tools', param: 'background' })
      }
    })
  })

  test('A refusal of the upstream is passed on with its status.', async () => {
    const { client } = open()
    const made = await create(client)
    const told = await client.post(`/v1/responses/${made.id}/cancel`, {})
    expect([told.status, (told.json().error as Json).code]).toEqual([400, 'not_a_background_response'])
    const stream = await client.get(`/v1/responses/${made.id}?stream=true`)
    expect(stream.status).toBe(400)
  })

  test('What the gateway stored itself is not asked for elsewhere.', async () => {
    const { client, asked } = open({ upstream: { state: 'gateway' } })
    const made = await create(client)
    expect((await client.get(`/v1/responses/${made.id}`)).json()).toEqual(made)
    expect((await client.get('/v1/responses/resp_none')).status).toBe(404)
    expect(asked).toEqual(['POST /v1/responses'])
  })

  test('Of several upstreams that keep state, the one that has it answers.', async () => {
    const second = openHarness('chat', () => says('From the second.'), { allowedHosts: ['*'] })
    const other = upstreamTo('responses', transportTo(fetchTo(second)), {
      name: 'second',
      baseUrl: 'http://second.invalid/v1',
      models: ['other'],
    })
    const { client } = open({ others: [other], upstream: { models: ['m'] } })
    const made = await create(client, { model: 'other' })
    const read = await client.get(`/v1/responses/${made.id}`)
    expect([read.status, read.headers['x-toolwire-upstream']]).toEqual([200, 'second'])
  })
})

const fetchTo = ({ gateway }: Harness): typeof fetch => {
  const handler = createFetchHandler(gateway)
  return (url, init) => handler(new Request(url, init))
}

describe('conversations', () => {
  test('A conversation is made where it is used, and its items are what was said in it.', async () => {
    const { client, asked, upstream } = open()
    const made = (await client.post('/v1/conversations', { metadata: { topic: 'x' } })).json()
    expect((await upstream.get(`/v1/conversations/${made.id}`)).status).toBe(200)
    await create(client, { conversation: made.id })
    const one = `/v1/conversations/${made.id}`
    const items = (await client.get(`${one}/items?order=asc`)).json().data as Json[]
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const added = (await client.post(`${one}/items`, { items: [{ role: 'user', content: 'More' }] })).json()
    const [more] = added.data as Json[]
    expect((await client.get(`${one}/items/${more?.id}`)).json()).toMatchObject({ id: more?.id })
    expect((await client.remove(`${one}/items/${more?.id}`)).json()).toMatchObject({ id: made.id })
    const changed = await client.post(one, { metadata: { topic: 'y' } })
    expect(changed.json()).toMatchObject({ id: made.id, metadata: { topic: 'y' } })
    expect((await client.get(one)).json()).toMatchObject({ metadata: { topic: 'y' } })
    expect((await client.remove(one)).json()).toMatchObject({ deleted: true })
    expect((await client.get(one)).status).toBe(404)
    expect(asked).toHaveLength(10)
  })

  test('With several upstreams the gateway keeps a conversation, and all of them take part in it.', async () => {
    const chat = openHarness('chat', ({ user }) => says(`Chat heard ${user}`))
    const other = upstreamTo('chat', transportTo(chat.model.fetch), { name: 'local', models: ['local'] })
    const { client, upstream, asked } = open({ others: [other], upstream: { models: ['m'] } })
    const { id } = (await client.post('/v1/conversations', {})).json()
    await create(client, { model: 'local', input: 'one', conversation: id })
    await create(client, { model: 'm', input: 'two', conversation: id })
    const third = await create(client, { model: 'local', input: 'three', conversation: id })
    expect(chat.model.requests.at(-1)?.body.messages).toMatchObject([
      { content: 'one' },
      { content: 'Chat heard one' },
      { content: 'two' },
      { content: 'You said two' },
      { content: 'three' },
    ])
    expect(upstream.model.requests[0]?.body.messages).toMatchObject([
      { content: 'one' },
      { content: 'Chat heard one' },
      { content: 'two' },
    ])
    expect(asked).toEqual(['POST /v1/responses'])
    // The next may be at the upstream although this one is stored here.
    const next = await create(client, { model: 'm', input: 'four', previous_response_id: third.id })
    expect(next.previous_response_id).toBe(third.id)
    expect(upstream.model.requests.at(-1)?.user).toBe('four')
    expect((await client.get(`/v1/responses/${next.id}`)).status).toBe(200)
  })

  test('Without a store, conversations are made at the upstream that has one.', async () => {
    const gateway = open().upstream
    const plain = createGateway({ upstreams: [upstreamTo('responses', transportTo(fetchTo(gateway)))] })
    const told = await clientOf(plain).post('/v1/conversations', {})
    expect([told.status, told.json().object]).toEqual([200, 'conversation'])
  })
})

describe('several keys', () => {
  const ann = 'ann-key-0123456789'
  const bob = 'bob-key-0123456789'

  test('Each key reaches its own, and to the other it does not exist.', async () => {
    const stage = open({ keys: [ann, bob] })
    const [hers, his] = [stage.as(ann), stage.as(bob)]
    const response = await create(hers)
    const conversation = (await hers.post('/v1/conversations', {})).json()
    const before = stage.asked.length
    const paths = [
      `/v1/responses/${response.id}`,
      `/v1/responses/${response.id}/input_items`,
      `/v1/conversations/${conversation.id}`,
      `/v1/conversations/${conversation.id}/items`,
    ]
    for (const path of paths) expect((await his.get(path)).status, path).toBe(404)
    expect((await his.remove(`/v1/responses/${response.id}`)).status).toBe(404)
    expect((await his.post(`/v1/conversations/${conversation.id}/items`, { items: [] })).status).toBe(404)
    expect((await his.post(`/v1/responses/${response.id}/cancel`, {})).status).toBe(404)
    expect(stage.asked).toHaveLength(before)
    for (const path of paths) expect((await hers.get(path)).status, path).toBe(200)
  })

  test('An id of another key below an own conversation is not asked for, and stays the other key’s.', async () => {
    const stage = open({ keys: [ann, bob] })
    const [hers, his] = [stage.as(ann), stage.as(bob)]
    const response = await create(hers)
    const conversation = (await his.post('/v1/conversations', {})).json()
    const before = stage.asked.length
    const path = `/v1/conversations/${conversation.id}/items/${response.id}`
    expect((await his.get(path)).status).toBe(404)
    expect((await his.remove(path)).status).toBe(404)
    expect(stage.asked).toHaveLength(before)
    expect((await his.get(`/v1/responses/${response.id}`)).status).toBe(404)
    expect((await hers.get(`/v1/responses/${response.id}`)).status).toBe(200)
  })

  test('An upstream that repeats the id of another key does not make it the client’s.', async () => {
    let id = 'resp_of_ann'
    const transport = transportTo(async () =>
      Response.json({ id, object: 'response', status: 'completed', output: [] }),
    )
    const upstreams = [upstreamTo('responses', transport, { apiKey: 'of the gateway' })]
    const gateway = createGateway({ store: createMemoryStore(), keys: [ann, bob], upstreams })
    const [hers, his] = [clientOf(gateway, ann), clientOf(gateway, bob)]
    await create(hers)
    id = 'resp_of_bob'
    await create(his)
    id = 'resp_of_ann'
    expect((await his.get('/v1/responses/resp_of_bob')).status).toBe(200)
    expect((await his.get('/v1/responses/resp_of_ann')).status).toBe(404)
    expect((await hers.get('/v1/responses/resp_of_ann')).status).toBe(200)
  })

  test('What a key learns of its own response or conversation it may refer to, and nothing of others.', async () => {
    const stage = open({ keys: [ann, bob] })
    const [hers, his] = [stage.as(ann), stage.as(bob)]
    const response = await create(hers, { input: [{ role: 'user', content: 'A secret' }] })
    const listed = (await hers.get(`/v1/responses/${response.id}/input_items`)).json().data as Json[]
    const reference = { type: 'item_reference', id: listed[0]?.id }
    expect((await hers.post('/v1/conversations', { items: [] })).status).toBe(200)
    for (const field of ['items', 'input']) {
      const path = field === 'items' ? '/v1/conversations' : '/v1/responses'
      const told = await his.post(path, { model: 'm', [field]: [reference] })
      expect((told.json().error as Json)?.code, path).toBe('item_not_found')
    }
    const own = await hers.post('/v1/responses', { model: 'm', input: [reference] })
    expect(own.status, own.text).toBe(200)
  })

  test('Items that a background response made are known when it is read or streamed again.', async () => {
    const stage = open({ keys: [ann, bob] })
    const hers = stage.as(ann)
    const begun = await hers.post('/v1/responses', {
      model: 'm',
      input: 'x',
      background: true,
      stream: true,
    })
    const id = idOf(eventsOf(begun.text))
    const rest = await hers.get(`/v1/responses/${id}?stream=true&starting_after=2`)
    expect(rest.status).toBe(200)
    const read = await until(() => hers.get(`/v1/responses/${id}`), hasEnded)
    const [item] = read.output as Json[]
    const told = await hers.post('/v1/responses', {
      model: 'm',
      input: [
        { type: 'item_reference', id: item?.id },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(told.status, told.text).toBe(200)
    expect((await stage.as(bob).get(`/v1/responses/${id}?stream=true`)).status).toBe(404)
  })

  test('A stored conversation of one key stays unknown to another at every upstream.', async () => {
    const chat = openHarness('chat', () => says('Yes.'))
    const other = upstreamTo('chat', transportTo(chat.model.fetch), { name: 'local', models: ['local'] })
    const stage = open({ keys: [ann, bob], others: [other], upstream: { models: ['m'] } })
    const { id } = (await stage.as(ann).post('/v1/conversations', {})).json()
    await create(stage.as(ann), { conversation: id })
    for (const model of ['m', 'local']) {
      const told = await stage.as(bob).post('/v1/responses', { model, input: 'x', conversation: id })
      expect([told.status, (told.json().error as Json).code]).toEqual([404, 'conversation_not_found'])
    }
  })

  test('Ids from before are passed on where the upstream allows them.', async () => {
    const stage = open({ keys: [ann, bob], upstream: { unknownIds: 'pass' } })
    const { id } = (await stage.upstream.post('/v1/responses', { model: 'm', input: 'x' })).json()
    expect((await stage.as(bob).get(`/v1/responses/${id}`)).status).toBe(200)
    const strict = open({ keys: [ann, bob] })
    const old = (await strict.upstream.post('/v1/responses', { model: 'm', input: 'x' })).json()
    expect((await strict.as(bob).get(`/v1/responses/${old.id}`)).status).toBe(404)
  })
})
