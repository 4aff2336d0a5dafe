/** Stored responses: read, listed, deleted; their ids; and what outlives the process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness } from '../../support/open-responses/gateway.ts'
import { errorBody } from '../../support/open-responses/schema.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const ask = { model: 'm', input: 'One.' }

async function respond({ post }: Pick<Harness, 'post'>, body: Json = {}): Promise<Json> {
  const told = await post('/v1/responses', { ...ask, ...body })
  expect(told.status, told.text).toBe(200)
  return body.stream === true ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
}

describe('GET /v1/responses/{id}', () => {
  test.each([
    ['chat', false],
    ['chat', true],
    ['messages', false],
    ['messages', true],
  ] as const)('A stored response is what was answered, from %s (stream: %s).', async (wire, stream) => {
    const turn = says('Hi.', { reasoning: 'Hm.', usage: { input: 1, output: 2 } })
    const setting = openHarness(wire, [turn])
    const response = await respond(setting, { stream })
    const told = await setting.get(`/v1/responses/${response.id}`)
    expect([told.status, told.json()]).toEqual([200, response])
  })

  test('A stored response that was not made in the background cannot be streamed.', async () => {
    const setting = openHarness('chat', [says('Hi.')])
    const { id } = await respond(setting)
    const told = await setting.get(`/v1/responses/${id}?stream=true`)
    expect([told.status, told.json().error]).toMatchObject([400, { param: 'stream' }])
  })

  test('Every request for an unknown response is answered with 404.', async () => {
    const { get, post, remove } = openHarness('chat', [])
    const path = '/v1/responses/resp_x'
    const tries = [
      await get(path),
      await remove(path),
      await get(`${path}/input_items`),
      await post(`${path}/cancel`, {}),
    ]
    for (const told of tries) {
      expect(told.status).toBe(404)
      expect(errorBody.parse(told.json()).error.code).toBe('response_not_found')
    }
  })
})

test('DELETE removes a response for good.', async () => {
  const setting = openHarness('chat', [says('Hi.')])
  const { id } = await respond(setting)
  const told = await setting.remove(`/v1/responses/${id}`)
  expect([told.status, told.json()]).toEqual([200, { id, object: 'response', deleted: true }])
  expect((await setting.get(`/v1/responses/${id}`)).status).toBe(404)
  expect((await setting.remove(`/v1/responses/${id}`)).status).toBe(404)
})

describe('input_items', () => {
  const words = ['a', 'b', 'c', 'd', 'e']
  const open = async (): Promise<{ list(query?: string): Promise<Json> }> => {
    const setting = openHarness('chat', [says('Hi.')])
    const { id } = await respond(setting, { input: words.map(content => ({ role: 'user', content })) })
    return {
      async list(query = '') {
        const told = await setting.get(`/v1/responses/${id}/input_items${query}`)
        expect(told.status, told.text).toBe(200)
        return told.json()
      },
    }
  }
  const textsOf = ({ data }: Json): unknown[] =>
    (data as { content: { text: string }[] }[]).map(({ content }) => content[0]?.text)

  test('Input items are listed newest first, or oldest first on request.', async () => {
    const { list } = await open()
    expect(textsOf(await list())).toEqual(words.toReversed())
    expect(textsOf(await list('?order=asc'))).toEqual(words)
  })

  test.each(['asc', 'desc'])('Input items are listed in pages, %s.', async order => {
    const { list } = await open()
    const seen: unknown[] = []
    let after = ''
    for (let pages = 0; pages < 3; pages++) {
      const page = await list(`?order=${order}&limit=2${after}`)
      const ids = (page.data as Json[]).map(({ id }) => id)
      expect(page).toMatchObject({
        object: 'list',
        first_id: ids[0],
        last_id: ids.at(-1),
        has_more: pages < 2,
      })
      seen.push(...textsOf(page))
      after = `&after=${page.last_id}`
    }
    expect(seen).toEqual(order === 'asc' ? words : words.toReversed())
  })

  test('A page that holds the rest is the last.', async () => {
    const { list } = await open()
    expect((await list('?limit=5')).has_more).toBe(false)
    expect((await list('?limit=4')).has_more).toBe(true)
  })

  test('Input items have an id, a type, a status and an array of parts.', async () => {
    const setting = openHarness('chat', [says('Hi.')])
    const input = [
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ]
    const { id } = await respond(setting, { input })
    const { data } = (await setting.get(`/v1/responses/${id}/input_items?order=asc`)).json()
    const any = { id: expect.stringMatching(/.{20}/), status: 'completed' }
    expect(data).toEqual([
      { ...any, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
      {
        ...any,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Two.', annotations: [] }],
      },
      { ...input[2], ...any },
      { ...input[3], ...any },
    ])
  })

  test('Input items are what was new in the request, not what it continued.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const first = await respond(setting)
    const second = await respond(setting, { previous_response_id: first.id, input: 'Two.' })
    const page = (await setting.get(`/v1/responses/${second.id}/input_items`)).json()
    expect(textsOf(page)).toEqual(['Two.'])
  })

  test('Input items can be referred to.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const { id } = await respond(setting)
    const { data } = (await setting.get(`/v1/responses/${id}/input_items`)).json()
    await respond(setting, { input: [{ type: 'item_reference', id: (data as Json[])[0]?.id }] })
    expect(setting.model.requests[1]?.user).toBe('One.')
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=nobody'])(
    'The list of input items refuses ?%s.',
    async query => {
      const setting = openHarness('chat', [says('Hi.')])
      const { id } = await respond(setting)
      const told = await setting.get(`/v1/responses/${id}/input_items?${query}`)
      expect([told.status, told.json().error]).toMatchObject([400, { param: query.split('=')[0] }])
    },
  )
})

describe('ids', () => {
  /** 128 bits are 25 characters of 36 kinds. */
  const strong = /^[a-z]+_[a-z0-9]{25,}$/

  test.each(['chat', 'messages', 'responses'] as const)(
    'Ids of responses cannot be guessed, whatever ids %s has.',
    async wire => {
      const turn = { ...calls({ name: 'f', arguments: {} }), text: 'Hi.', reasoning: 'Hm.' }
      for (const stream of [false, true]) {
        const setting = openHarness(wire, [turn], { upstream: { state: 'gateway' } })
        const response = await respond(setting, { stream, tools: [{ type: 'function', name: 'f' }] })
        expect(response.id).toMatch(strong)
        // The items of a Responses upstream keep the names that it gave them.
        if (wire !== 'responses') for (const { id } of response.output as Json[]) expect(id).toMatch(strong)
      }
    },
  )

  test.each([false, true])(
    'Ids of responses differ even if the upstream repeats its own (stream: %s).',
    async stream => {
      const body = {
        id: 'chatcmpl-same',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
      }
      const setting = openHarness('chat', () => ({ body }))
      const first = await respond(setting, { stream, input: 'One.' })
      const second = await respond(setting, { stream, input: 'Two.' })
      expect(first.id).not.toBe(second.id)
      await respond(setting, { stream, previous_response_id: first.id, input: 'Go on.' })
      expect(JSON.stringify(setting.model.requests[2]?.body)).toMatch(/One\..*Hi\..*Go on\./)
    },
  )
})

describe('[field G05] one client cannot reach what is kept for another', () => {
  test('A client cannot reach a response of another client by any method.', async () => {
    const { gateway } = openHarness('chat', [says('A.')], { keys: ['one', 'two'] })
    const [mine, theirs] = [clientOf(gateway, 'one'), clientOf(gateway, 'two')]
    const { id } = await respond(mine)
    const path = `/v1/responses/${id}`
    const tries = [
      await theirs.get(path),
      await theirs.get(`${path}/input_items`),
      await theirs.post(`${path}/cancel`, {}),
      await theirs.remove(path),
    ]
    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await mine.get(path)).status).toBe(200)
  })
})

test.each(['chat', 'messages'] as const)(
  'A response can be continued after a restart, over %s.',
  async wire => {
    const folder = await mkdtemp(join(tmpdir(), 'toolwire-restart-'))
    try {
      const path = join(folder, 'state.db')
      const tools = [{ type: 'function', name: 'look' }]
      const before = await openSqliteStore({ path })
      const first = openHarness(wire, [calls({ name: 'look', arguments: {}, id: 'call_a' })], {
        store: before,
      })
      const asked = await respond(first, { tools })
      await first.gateway.close()
      await before.close()
      const after = await openSqliteStore({ path })
      const second = openHarness(wire, [says('Blue.')], { store: after })
      expect((await second.get(`/v1/responses/${asked.id}`)).json()).toEqual(asked)
      const input = [{ type: 'function_call_output', call_id: 'call_a', output: 'blue' }]
      const answer = await respond(second, { tools, previous_response_id: asked.id, input })
      expect(answer.previous_response_id).toBe(asked.id)
      expect(second.model.requests[0]).toMatchObject({
        calls: [{ id: 'call_a', name: 'look' }],
        results: [{ callId: 'call_a', text: 'blue' }],
      })
      await second.gateway.close()
      await after.close()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
