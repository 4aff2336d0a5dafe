/** Two keys on one upstream that holds what it made: to each of them, what the other was given does not exist. */
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Adapter } from '../../support/faults/adapters.ts'
import { adapters, jsonPost } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { Ids } from '../../support/faults/held-answers.ts'
import { attempts, idsOf, reply, routesOf, streamWith } from '../../support/faults/held-answers.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import { answerOf, bodyFor, framesOf, paths } from '../../support/faults/wires.ts'

const ann = 'ann-key-0123456789'
const bob = 'bob-key-0123456789'

interface Told {
  readonly status: number
  readonly text: string
}

interface Setting extends Harness {
  readonly adapter: Adapter
  send(key: string, method: string, target: string, body?: object | string): Promise<Told>
  create(key: string, more?: object): Promise<Told>
}

async function open(
  openAdapter: (gateway: Harness['gateway']) => Promise<Adapter>,
  options: HarnessOptions = {},
): Promise<Setting> {
  const store = createMemoryStore({ now: () => startOfTime })
  const harness = createHarness({ wire: 'responses', keys: [ann, bob], store, ...options })
  const adapter = await openAdapter(harness.gateway)
  const send: Setting['send'] = async (key, method, target, body) => {
    const headers = { 'x-api-key': key }
    const init = body === undefined ? { method, headers } : { ...jsonPost(body, headers), method }
    const response = await adapter.request(target, init)
    return { status: response.status, text: await response.text() }
  }
  const create: Setting['create'] = (key, more) =>
    send(key, 'POST', paths.responses, bodyFor('responses', more))
  return { ...harness, adapter, send, create }
}

const hers = idsOf('anns')
const nobodys = idsOf('none')

function withoutIds({ status, text }: Told, ids: Ids): Told {
  return { status, text: Object.values(ids).reduce((rest, id: string) => rest.replaceAll(id, 'ID'), text) }
}

describe.each(adapters)('through %s', (_, openAdapter) => {
  test.each([{}, { stream: true }, { background: true }])(
    'What the upstream holds for one key is as unknown to another as what nobody holds, given %o.',
    async how => {
      const setting = await open(openAdapter)
      const given = setting.create(ann, how)
      reply(await setting.upstream.next(), hers)
      expect((await given).text).toContain('A secret of Ann’s')
      const before = setting.upstream.requests.length
      const unknown = attempts(nobodys)
      for (const [index, [name, more]] of attempts(hers).entries()) {
        for (const stream of [false, true]) {
          const foreign = await setting.create(bob, { ...more, stream })
          const missing = await setting.create(bob, { ...unknown[index]?.[1], stream })
          expect([400, 404], name).toContain(foreign.status)
          expect(JSON.parse(foreign.text).error.code, name).toMatch(/_not_found$/)
          expect(withoutIds(foreign, hers), name).toEqual(withoutIds(missing, nobodys))
        }
      }
      for (const [index, [method, target, body]] of routesOf(hers).entries()) {
        const [, unknownTarget = ''] = routesOf(nobodys)[index] ?? []
        const foreign = await setting.send(bob, method, target, body)
        const missing = await setting.send(bob, method, unknownTarget, body)
        expect(foreign.status, target).toBe(404)
        expect(withoutIds(foreign, hers), target).toEqual(withoutIds(missing, nobodys))
      }
      expect(setting.upstream.requests.length).toBe(before)
      // To Ann nothing has changed.
      for (const [name, more] of attempts(hers)) {
        const own = setting.create(ann, more)
        const asked = await setting.upstream.next()
        expect(asked.body, name).toMatchObject(more)
        reply(asked, idsOf('next'))
        expect((await own).status, name).toBe(200)
      }
      await setting.adapter.close()
    },
  )

  test('A reference in an unusual spelling is found all the same.', async () => {
    const setting = await open(openAdapter)
    const given = setting.create(ann)
    reply(await setting.upstream.next(), hers)
    await given
    const bodies = [
      `{"model":"m","input":"x","previous_response_\\u0069d":"${hers.response}"}`,
      `{"model":"m","input":"x","previous_response_id":"resp_\\u0061nns"}`,
      `{"model":"m","input":"x","previous_response_id":null,"previous_response_id":"${hers.response}"}`,
      `{"model":"m","input":[{"type":"item_reference","\\u0069d":"${hers.message}"}]}`,
      `{"model":"m","input":[{"type":"message","role":"user","content":"x","type":"item_reference","id":"${hers.message}"}]}`,
      `{"model":"m","input":"x","input":[{"id":"${hers.message}"}]}`,
    ]
    for (const body of bodies) {
      const told = await setting.send(bob, 'POST', paths.responses, body)
      expect([400, 404], body).toContain(told.status)
    }
    expect(setting.upstream.requests.length).toBe(1)
    await setting.adapter.close()
  })
})

const [, openFetch] = adapters[1] ?? []
const openSetting = (options?: HarnessOptions): Promise<Setting> => {
  if (openFetch === undefined) throw new Error('There is an adapter.')
  return open(openFetch, options)
}

/** What the upstream got of a request with these members; the request must be one that is passed on. */
async function sentFor(setting: Setting, key: string, body: object | string): Promise<string> {
  const told = setting.send(key, 'POST', paths.responses, body)
  const asked = await setting.upstream.next()
  reply(asked, idsOf(`other${setting.upstream.requests.length}`))
  await told
  return Buffer.from(asked.request.body as Uint8Array).toString('utf8')
}

test('What was checked is what is sent, though a name is written twice.', async () => {
  const setting = await openSetting()
  const given = setting.create(ann)
  reply(await setting.upstream.next(), hers)
  await given
  const twice = [
    `{"model":"m","input":"x","previous_response_id":"${hers.response}","previous_response_id":null}`,
    `{"model":"m","input":[{"type":"item_reference","id":"${hers.message}","id":null,"type":"message","role":"user","content":"x"}]}`,
  ]
  for (const body of twice) expect(await sentFor(setting, bob, body)).not.toContain('anns')
})

test('A complete item passes without the id of another key’s, and with any other id.', async () => {
  const setting = await openSetting()
  const given = setting.create(ann)
  reply(await setting.upstream.next(), hers)
  await given
  const complete = (id: string): object[] => [
    { type: 'message', role: 'assistant', id, content: [{ type: 'output_text', text: 'x' }] },
    { role: 'user', id, content: 'x' },
    { type: 'function_call', id, call_id: 'c', name: 'n', arguments: '{}' },
    { type: 'function_call_output', id, call_id: 'c', output: '' },
    { type: 'reasoning', id, summary: [], encrypted_content: 'x' },
  ]
  const body = (id: string): object => bodyFor('responses', { input: complete(id) })
  expect(await sentFor(setting, bob, body('msg_mine'))).toBe(JSON.stringify(body('msg_mine')))
  const withoutId = complete(hers.message).map(item => ({ ...item, id: undefined }))
  expect(JSON.parse(await sentFor(setting, bob, body(hers.message)))).toEqual(
    JSON.parse(JSON.stringify(bodyFor('responses', { input: withoutId }))),
  )
  expect(await sentFor(setting, ann, body(hers.message))).toBe(JSON.stringify(body(hers.message)))
})

test('A request that refers to nothing passes byte for byte, whoever sends it.', async () => {
  const setting = await openSetting()
  const body = ' {"model":"m", "input":"x",\n"x_odd":1.50}'
  expect(await sentFor(setting, bob, body)).toBe(body)
})

test.each([[[]], [[ann]], [[ann, ann]]])('With one owner, keys %o, every id passes unread.', async keys => {
  const setting = await openSetting({ keys })
  const body = ' {"model":"m", "input":[{"id":"msg_1"}],\n"previous_response_id":"resp_1"}'
  expect(await sentFor(setting, ann, body)).toBe(body)
})

test('Ids that nobody was given may be let through while clients move here; those of others never.', async () => {
  const setting = await openSetting({ upstream: { unknownIds: 'pass' } })
  const given = setting.create(ann)
  reply(await setting.upstream.next(), hers)
  await given
  const refers = (id: string): object => bodyFor('responses', { previous_response_id: id })
  expect(await sentFor(setting, bob, refers('resp_old'))).toContain('resp_old')
  expect((await setting.create(bob, { previous_response_id: hers.response })).status).toBe(400)
})

test('A response whose stream broke off, or whose client left, is still its owner’s.', async () => {
  const setting = await openSetting()
  const cut = setting.create(ann, { stream: true })
  const asked = await setting.upstream.next()
  asked.stream().data(streamWith(hers).split('event: response.completed')[0] ?? '')
  await setting.clock.settle()
  asked.fail()
  expect((await cut).text).toContain('response.failed')
  expect((await setting.create(bob, { previous_response_id: hers.response })).status).toBe(400)
  const refers = bodyFor('responses', { previous_response_id: hers.response })
  expect(await sentFor(setting, ann, refers)).toContain(hers.response)
})

test('An id that the upstream gives to another key is no longer the first one’s.', async () => {
  const setting = await openSetting()
  for (const key of [ann, bob]) {
    const given = setting.create(key)
    reply(await setting.upstream.next(), hers)
    await given
  }
  const refers = bodyFor('responses', { previous_response_id: hers.response })
  expect(await sentFor(setting, bob, refers)).toContain(hers.response)
  expect((await setting.create(ann, { previous_response_id: hers.response })).status).toBe(400)
})

test('Without a store the owners are remembered in memory, and an owner lives as long as a stored response.', async () => {
  const { store: _, ...none } = { store: undefined }
  const harness = createHarness({ wire: 'responses', keys: [ann, bob], ttlMs: 1000, ...none })
  const adapter = await openFetch?.(harness.gateway)
  const send = async (key: string, more: object = {}): Promise<Response | undefined> =>
    adapter?.request(paths.responses, jsonPost(bodyFor('responses', more), { 'x-api-key': key }))
  const given = send(ann)
  reply(await harness.upstream.next(), hers)
  await given
  expect((await send(bob, { previous_response_id: hers.response }))?.status).toBe(400)
  const own = send(ann, { previous_response_id: hers.response })
  reply(await harness.upstream.next(), idsOf('next'))
  expect((await own)?.status).toBe(200)
  await harness.clock.advance(1001)
  expect((await send(ann, { previous_response_id: hers.response }))?.status).toBe(400)
})

test('While the store is down, what is referred to is refused and all else is answered.', async () => {
  const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
  const setting = await openSetting({ store })
  store.failure = 'down'
  const given = setting.create(ann)
  reply(await setting.upstream.next(), hers)
  expect((await given).status).toBe(200)
  const refused = await setting.create(ann, { previous_response_id: hers.response })
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('store_unavailable')])
  store.failure = 'none'
  expect((await setting.create(bob, { previous_response_id: hers.response })).status).toBe(400)
})

test.each(['chat', 'messages'] as const)(
  'A client of the %s wire has no words for what a Responses upstream holds.',
  async wire => {
    const setting = await openSetting({ losses: 'allow' })
    const more = {
      previous_response_id: hers.response,
      conversation: hers.conversation,
      input: [{ type: 'item_reference', id: hers.message }],
      container: hers.container,
    }
    const told = setting.send(bob, 'POST', paths[wire], bodyFor(wire, more))
    const asked = await setting.upstream.next()
    expect(JSON.stringify(asked.body)).not.toContain('anns')
    asked.json(200, await answerOf('responses'))
    expect((await told).status).toBe(200)
  },
)

test('A Responses upstream whose state the gateway keeps cannot be asked for the items of another key.', async () => {
  const setting = await openSetting({ upstream: { state: 'gateway' } })
  const given = setting.create(ann)
  reply(await setting.upstream.next(), hers)
  await given
  const before = setting.upstream.requests.length
  for (const input of [
    [{ type: 'image_generation_call', id: hers.image }],
    [{ type: 'item_reference', id: hers.message }],
    [{ id: hers.message }],
  ]) {
    expect((await setting.create(bob, { input })).status).toBe(400)
  }
  expect(setting.upstream.requests.length).toBe(before)
})

describe('containers of a Messages upstream, and spoken answers of a Chat upstream', () => {
  test.each([false, true])(
    'A container belongs to the key that was given it (streamed: %s).',
    async stream => {
      const setting = await openSetting({ wire: 'messages' })
      const create = (key: string, more: object = {}): Promise<Told> =>
        setting.send(key, 'POST', paths.messages, bodyFor('messages', { stream, ...more }))
      const given = create(ann)
      const asked = await setting.upstream.next()
      const container = { id: 'container_anns', expires_at: '2030-01-01T00:00:00Z' }
      if (stream) {
        const frames = (await framesOf('messages')).join('')
        asked
          .stream()
          .data(frames.replaceAll('"container":null', `"container":${JSON.stringify(container)}`))
          .end()
      } else asked.json(200, { ...(await answerOf('messages')), container })
      expect((await given).text).toContain('container_anns')
      for (const named of ['container_anns', { id: 'container_anns' }]) {
        const foreign = await create(bob, { container: named })
        const missing = await create(bob, { container: 'container_none' })
        expect(foreign.status).toBe(400)
        expect(foreign.text.replace('anns', 'ID').replace(/req_\w+/, '')).toBe(
          missing.text.replace('none', 'ID').replace(/req_\w+/, ''),
        )
        const own = create(ann, { container: named })
        const again = await setting.upstream.next()
        expect(again.body.container).toEqual(named)
        again.json(200, await answerOf('messages'))
        await own
      }
      const counted = await setting.send(
        bob,
        'POST',
        '/v1/messages/count_tokens',
        bodyFor('messages', { container: 'container_anns' }),
      )
      expect(counted.status).toBe(400)
    },
  )

  test('A spoken answer belongs to the key that was given it.', async () => {
    const setting = await openSetting({ wire: 'chat' })
    const create = (key: string, more: object = {}): Promise<Told> =>
      setting.send(key, 'POST', paths.chat, bodyFor('chat', more))
    const given = create(ann)
    const answer = (await answerOf('chat')) as { choices: { message: object }[] }
    const message = { ...answer.choices[0]?.message, audio: { id: 'audio_anns', data: '', transcript: 'x' } }
    ;(await setting.upstream.next()).json(200, { ...answer, choices: [{ ...answer.choices[0], message }] })
    await given
    const messages = [
      { role: 'assistant', audio: { id: 'audio_anns' } },
      { role: 'user', content: 'Again' },
    ]
    const foreign = await create(bob, { messages })
    expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining('audio_not_found')])
    const own = create(ann, { messages })
    ;(await setting.upstream.next()).json(200, answer)
    expect((await own).status).toBe(200)
  })
})
