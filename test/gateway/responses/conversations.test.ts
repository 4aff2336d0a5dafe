/** Conversations: made, changed, read and deleted, with items, and with responses that are added to them. */
import { calls, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness } from '../../support/open-responses/gateway.ts'
import { errorBody } from '../../support/open-responses/schema.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const user = (content: string): Json => ({ role: 'user', content })

async function create({ post }: Pick<Harness, 'post'>, body: Json = {}): Promise<Json> {
  const told = await post('/v1/conversations', body)
  expect(told.status, told.text).toBe(200)
  return told.json()
}

async function itemsOf({ get }: Pick<Harness, 'get'>, id: unknown, query = '?order=asc'): Promise<Json[]> {
  const told = await get(`/v1/conversations/${id}/items${query}`)
  expect(told.status, told.text).toBe(200)
  return told.json().data as Json[]
}

const gist = (items: readonly Json[]): unknown[] =>
  items.map(({ type, content, name, output }) => {
    const parts = content as { text: string }[] | undefined
    return type === 'message' ? parts?.map(({ text }) => text).join() : (name ?? output)
  })

describe('a conversation', () => {
  test('A conversation is created, read, changed and deleted.', async () => {
    const setting = openHarness('chat', [])
    const made = await create(setting, { metadata: { topic: 'sky' } })
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_[a-z0-9]{25,}$/),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: { topic: 'sky' },
    })
    const path = `/v1/conversations/${made.id}`
    expect((await setting.get(path)).json()).toEqual(made)
    const changed = { ...made, metadata: { topic: 'sea' } }
    expect((await setting.post(path, { metadata: { topic: 'sea' } })).json()).toEqual(changed)
    expect((await setting.get(path)).json()).toEqual(changed)
    const gone = await setting.remove(path)
    expect(gone.json()).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true })
    expect((await setting.get(path)).status).toBe(404)
  })

  test.each([{ metadata: 7 }, { metadata: [] }, { items: 'x' }])(
    'A conversation cannot be created from %j.',
    async body => {
      const told = await openHarness('chat', []).post('/v1/conversations', body)
      expect(told.status).toBe(400)
      expect(errorBody.parse(told.json()).error.param).toBe(Object.keys(body)[0])
    },
  )

  test('Every request for an unknown conversation is answered with 404.', async () => {
    const { get, post, remove } = openHarness('chat', [])
    const path = '/v1/conversations/conv_x'
    const tries = [
      await get(path),
      await post(path, { metadata: {} }),
      await remove(path),
      await get(`${path}/items`),
      await post(`${path}/items`, { items: [user('x')] }),
      await get(`${path}/items/msg_x`),
      await remove(`${path}/items/msg_x`),
    ]
    for (const told of tries) {
      expect(told.status).toBe(404)
      expect(errorBody.parse(told.json()).error.code).toBe('conversation_not_found')
    }
  })
})

describe('items of a conversation', () => {
  test('Items are added with the conversation or later, read one by one, and deleted.', async () => {
    const setting = openHarness('chat', [])
    const { id } = await create(setting, { items: [user('a')] })
    const added = await setting.post(`/v1/conversations/${id}/items`, { items: [user('b'), user('c')] })
    expect(gist(added.json().data as Json[])).toEqual(['b', 'c'])
    const items = await itemsOf(setting, id)
    expect(gist(items)).toEqual(['a', 'b', 'c'])
    const path = `/v1/conversations/${id}/items/${items[1]?.id}`
    expect((await setting.get(path)).json()).toEqual(items[1])
    expect((await setting.remove(path)).json()).toMatchObject({ id, object: 'conversation' })
    expect((await setting.get(path)).status).toBe(404)
    expect(gist(await itemsOf(setting, id))).toEqual(['a', 'c'])
  })

  test('Items are listed in pages, newest first by default.', async () => {
    const setting = openHarness('chat', [])
    const words = ['a', 'b', 'c', 'd', 'e']
    const { id } = await create(setting, { items: words.map(user) })
    const first = (await setting.get(`/v1/conversations/${id}/items?limit=2`)).json()
    expect(gist(first.data as Json[])).toEqual(['e', 'd'])
    expect(first).toMatchObject({ object: 'list', has_more: true })
    expect(gist(await itemsOf(setting, id, `?limit=3&after=${first.last_id}`))).toEqual(['c', 'b', 'a'])
    const told = await setting.get(`/v1/conversations/${id}/items?after=nobody`)
    expect([told.status, told.json().error]).toMatchObject([400, { param: 'after' }])
  })

  test('An item cannot be added twice.', async () => {
    const setting = openHarness('chat', [])
    const item = { ...user('a'), id: 'msg_mine' }
    const { id } = await create(setting, { items: [item] })
    const told = await setting.post(`/v1/conversations/${id}/items`, { items: [user('b'), item] })
    expect([told.status, told.json().error]).toMatchObject([400, { code: 'duplicate_item' }])
    expect(gist(await itemsOf(setting, id))).toEqual(['a'])
  })
})

describe.each([false, true])('responses in a conversation, stream: %s', stream => {
  const tools = [{ type: 'function', name: 'look' }]
  const respond = async ({ post }: Pick<Harness, 'post'>, body: Json): Promise<Json> => {
    const told = await post('/v1/responses', { model: 'm', tools, stream, ...body })
    expect(told.status, told.text).toBe(200)
    return stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
  }

  test.each(['chat', 'messages'] as const)(
    'Responses in a conversation get its items and are added to it, over %s.',
    async wire => {
      const setting = openHarness(wire, [
        calls({ name: 'look', arguments: {}, id: 'call_a' }),
        says('Blue.'),
        says('Yes.'),
      ])
      const { id } = await create(setting, { items: [user('I like colours.')] })
      await respond(setting, { conversation: id, input: 'The sky?' })
      const result = { type: 'function_call_output', call_id: 'call_a', output: 'blue' }
      await respond(setting, { conversation: { id }, input: [result] })
      await respond(setting, { conversation: id, input: 'Sure?' })
      const said = ['I like colours.', 'The sky?', 'look', 'blue', 'Blue.', 'Sure?', 'Yes.']
      expect(gist(await itemsOf(setting, id))).toEqual(said)
      const last = setting.model.requests[2]
      expect(last).toMatchObject({ user: 'Sure?', calls: [{ name: 'look' }], results: [{ text: 'blue' }] })
      expect(JSON.stringify(last?.body)).toMatch(/I like colours\..*The sky\?.*blue.*Blue\..*Sure\?/)
    },
  )

  test('Responses in a conversation have its id.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const { id } = await create(setting)
    const first = await respond(setting, { conversation: id, input: 'One.' })
    const second = await respond(setting, { conversation: { id }, input: 'Two.' })
    expect([first.conversation, second.conversation]).toEqual([{ id }, { id }])
    expect((await setting.get(`/v1/responses/${first.id}`)).json().conversation).toEqual({ id })
  })

  test('A response in a conversation can be continued by its own id, with the history before it.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const { id } = await create(setting, { items: [user('Before.')] })
    const first = await respond(setting, { conversation: id, input: 'One.' })
    await respond(setting, { previous_response_id: first.id, input: 'Aside.' })
    expect(JSON.stringify(setting.model.requests[1]?.body)).toMatch(/Before\..*One\..*A\..*Aside\./)
    expect(gist(await itemsOf(setting, id))).toEqual(['Before.', 'One.', 'A.'])
  })

  test('Refused responses leave nothing in the conversation.', async () => {
    const setting = openHarness('chat', [fails(400, 'No.')])
    const { id } = await create(setting)
    const told = await setting.post('/v1/responses', { model: 'm', stream, conversation: id, input: 'One.' })
    expect(told.status).toBe(400)
    expect(await itemsOf(setting, id)).toEqual([])
  })

  test('Responses that are not stored get the items of the conversation, but are not added to it.', async () => {
    const setting = openHarness('chat', [says('A.')])
    const { id } = await create(setting, { items: [user('Before.')] })
    await respond(setting, { conversation: id, input: 'One.', store: false })
    expect(JSON.stringify(setting.model.requests[0]?.body)).toMatch(/Before\..*One\./)
    expect(gist(await itemsOf(setting, id))).toEqual(['Before.'])
  })
})

test('The conversation of another client does not exist. [field G05]', async () => {
  const { gateway, model } = openHarness('chat', [], { keys: ['one', 'two'] })
  const [mine, theirs] = [clientOf(gateway, 'one'), clientOf(gateway, 'two')]
  const { id } = await create(mine, { items: [user('Secret.')] })
  const path = `/v1/conversations/${id}`
  const tries = [
    await theirs.get(path),
    await theirs.get(`${path}/items`),
    await theirs.post(path, { metadata: {} }),
    await theirs.post(`${path}/items`, { items: [user('x')] }),
    await theirs.remove(path),
    await theirs.post('/v1/responses', { model: 'm', input: 'x', conversation: id }),
  ]
  expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 404))
  expect(model.requests).toEqual([])
  expect(gist(await itemsOf(mine, id))).toEqual(['Secret.'])
})

test('A gateway without a store has no conversations, and says so.', async () => {
  const { post } = openHarness('chat', [], { store: undefined } as object)
  const told = await post('/v1/conversations', {})
  expect([told.status, told.json().error]).toMatchObject([404, { code: 'no_store' }])
})
