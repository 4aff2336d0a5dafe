/** `previous_response_id`: what was asked and answered before comes first, in its order, and nothing of it twice. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { calls, createTestHost, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness } from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
const look = calls({ name: 'look', arguments: { at: 'sky' }, id: 'call_a' })
const output = (call_id: string, text: string): Json => ({
  type: 'function_call_output',
  call_id,
  output: text,
})

type Ask = (body: Json) => Promise<Json>

const asker = ({ post }: Pick<Harness, 'post'>, stream = false): Ask => {
  return async body => {
    const told = await post('/v1/responses', { model: 'm', tools, stream, ...body })
    expect(told.status, told.text).toBe(200)
    return stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
  }
}

const ways = [false, true].map(stream => ({ stream }))

describe.each(ways)('a chain with a tool call, stream: $stream', ({ stream }) => {
  test('A chain gives a Chat upstream the full history, calls before their results. [field G01]', async () => {
    const setting = openHarness('chat', [look, says('Blue.'), says('Yes.')])
    const ask = asker(setting, stream)
    const first = await ask({ input: 'What colour is the sky?' })
    const second = await ask({ previous_response_id: first.id, input: [output('call_a', 'blue')] })
    await ask({ previous_response_id: second.id, input: 'Sure?' })
    const call = { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }
    expect(setting.model.requests[2]?.body.messages).toEqual([
      { role: 'user', content: 'What colour is the sky?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_a', content: 'blue' },
      { role: 'assistant', content: 'Blue.' },
      { role: 'user', content: 'Sure?' },
    ])
  })

  test('A chain gives a Messages upstream the full history, in its own turns. [field G01]', async () => {
    const setting = openHarness('messages', [look, says('Blue.'), says('Yes.')])
    const ask = asker(setting, stream)
    const first = await ask({ input: 'What colour is the sky?' })
    const second = await ask({ previous_response_id: first.id, input: [output('call_a', 'blue')] })
    await ask({ previous_response_id: second.id, input: 'Sure?' })
    expect(setting.model.requests[2]?.body.messages).toMatchObject([
      { role: 'user', content: 'What colour is the sky?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_a', name: 'look', input: { at: 'sky' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'blue' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Blue.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Sure?', cache_control: { type: 'ephemeral' } }] },
    ])
  })

  test('A chain never sends an upstream an id that only the gateway knows. [field G03]', async () => {
    for (const wire of ['chat', 'messages', 'responses'] as const) {
      const setting = openHarness(wire, [says('A.'), says('B.')], { upstream: { state: 'gateway' } })
      const ask = asker(setting, stream)
      const first = await ask({ input: 'One.' })
      await ask({ previous_response_id: first.id, input: 'Two.' })
      const sent = setting.model.requests[1]?.body ?? {}
      expect(Object.keys(sent)).not.toContain('previous_response_id')
      expect(JSON.stringify(sent)).not.toContain(String(first.id))
      expect(JSON.stringify(sent).split('One.')).toHaveLength(2)
    }
  })

  test.each(['chat', 'messages', 'responses'] as const)(
    'A response has the id of the one it continues, over %s.',
    async wire => {
      const setting = openHarness(wire, [says('A.'), says('B.')], { upstream: { state: 'gateway' } })
      const ask = asker(setting, stream)
      const first = await ask({ input: 'One.' })
      const second = await ask({ previous_response_id: first.id, input: 'Two.' })
      expect([first.previous_response_id, second.previous_response_id]).toEqual([null, first.id])
      expect(second.id).not.toBe(first.id)
    },
  )

  test('A chain does not carry instructions over.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.'), says('C.')])
    const ask = asker(setting, stream)
    const first = await ask({ input: 'One.', instructions: 'Speak like a pirate.' })
    const second = await ask({ previous_response_id: first.id, input: 'Two.' })
    await ask({ previous_response_id: second.id, input: 'Three.', instructions: 'Speak like a poet.' })
    expect(setting.model.requests.map(({ system }) => system)).toEqual([
      'Speak like a pirate.',
      '',
      'Speak like a poet.',
    ])
    expect(second.instructions).toBeNull()
  })
})

test('Two requests may continue the same response, each in its own way.', async () => {
  const setting = openHarness('chat', [says('A.'), says('B.'), says('C.')])
  const ask = asker(setting)
  const first = await ask({ input: 'One.' })
  await ask({ previous_response_id: first.id, input: 'Left.' })
  await ask({ previous_response_id: first.id, input: 'Right.' })
  const texts = setting.model.requests.map(({ body }) =>
    (body.messages as Json[]).map(({ content }) => content),
  )
  expect(texts).toEqual([['One.'], ['One.', 'A.', 'Left.'], ['One.', 'A.', 'Right.']])
})

test('Input that was an array is replayed with its parts and roles.', async () => {
  const setting = openHarness('chat', [says('A.'), says('B.')])
  const ask = asker(setting)
  const first = await ask({
    input: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
    ],
  })
  await ask({ previous_response_id: first.id, input: 'Two.' })
  const { system, body } = setting.model.requests[1] ?? {}
  expect(system).toBe('Be brief.')
  expect(JSON.stringify(body?.messages)).toMatch(/Be brief.*One\..*A\..*Two\./)
})

describe('reasoning in a chain', () => {
  test.each([
    ['a summary', { summary: [{ type: 'summary_text', text: 'I mused.' }] }],
    ['its text', { summary: [], content: [{ type: 'reasoning_text', text: 'I mused.' }] }],
    ['a seal', { summary: [], encrypted_content: 'c2VjcmV0' }],
    ['nothing', { summary: [] }],
  ])('Reasoning of a chain with %s is accepted by any upstream.', async (_, fields) => {
    for (const wire of ['chat', 'messages'] as const) {
      const setting = openHarness(wire, [says('B.')])
      const input = [
        { role: 'user', content: 'One.' },
        { type: 'reasoning', id: 'rs_1', ...fields },
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'A.' }] },
        { role: 'user', content: 'Two.' },
      ]
      await asker(setting)({ input })
      const sent = JSON.stringify(setting.model.requests[0]?.body)
      expect(sent).toMatch(/One\..*A\..*Two\./)
      expect(sent).not.toContain('c2VjcmV0')
    }
  })
})

describe('what cannot be continued', () => {
  const refused = { param: 'previous_response_id', code: 'previous_response_not_found' }
  const goOn = async ({ post }: Pick<Harness, 'post'>, id: unknown): Promise<[number, unknown]> => {
    const told = await post('/v1/responses', { model: 'm', input: 'Go on.', previous_response_id: id })
    return [told.status, told.json().error]
  }

  test('An unknown response cannot be continued.', async () => {
    const [status, error] = await goOn(openHarness('chat', []), 'resp_unknown')
    expect([status, error]).toMatchObject([
      400,
      { ...refused, message: expect.stringContaining('resp_unknown') },
    ])
  })

  test('A response that was not stored cannot be continued.', async () => {
    const setting = openHarness('chat', [says('A.')])
    const first = await asker(setting)({ input: 'One.', store: false })
    expect(first.store).toBe(false)
    expect(await goOn(setting, first.id)).toMatchObject([400, refused])
    expect((await setting.get(`/v1/responses/${first.id}`)).status).toBe(404)
  })

  test('A deleted response cannot be continued, but one that continued it can.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const first = await asker(setting)({ input: 'One.' })
    const second = await asker(setting)({ input: 'Two.', previous_response_id: first.id })
    await setting.remove(`/v1/responses/${first.id}`)
    expect(await goOn(setting, first.id)).toMatchObject([400, refused])
    expect(await goOn(setting, second.id)).toMatchObject([400, refused])
  })

  test('An expired response cannot be continued.', async () => {
    const host = createTestHost()
    const clock = { now: host.now, date: () => 1_800_000_000_000 + host.now(), after: host.after }
    const store = createMemoryStore({ now: clock.date })
    const setting = openHarness('chat', [says('A.')], { clock, store, ttlMs: 60_000 })
    const first = await asker(setting)({ input: 'One.' })
    await host.advance(60_001)
    expect(await goOn(setting, first.id)).toMatchObject([400, refused])
    expect((await setting.get(`/v1/responses/${first.id}`)).status).toBe(404)
  })

  test('The response of another client cannot be continued, even where the call ids are equal. [field G05]', async () => {
    const { gateway, model } = openHarness('chat', [look, look], { keys: ['one', 'two'] })
    const [mine, theirs] = [clientOf(gateway, 'one'), clientOf(gateway, 'two')]
    const first = await asker(mine)({ input: 'My secret.' })
    const second = await asker(theirs)({ input: 'Their question.' })
    expect(await goOn(theirs, first.id)).toMatchObject([400, refused])
    expect(await goOn(mine, second.id)).toMatchObject([400, refused])
    expect(model.requests).toHaveLength(2)
  })

  test('Without a store no response can be continued.', async () => {
    const setting = openHarness('chat', [says('A.')], { store: undefined } as object)
    const first = await asker(setting)({ input: 'One.' })
    expect(first.store).toBe(false)
    expect(await goOn(setting, first.id)).toMatchObject([400, refused])
  })

  test('A response in progress cannot be continued, and the error says to wait for it.', async () => {
    const setting = openHarness('chat', [says('Never.', { fault: { stall: 0 } })])
    const { id } = await asker(setting)({ input: 'One.', background: true })
    const code = 'previous_response_unfinished'
    const [status, error] = await goOn(setting, id)
    expect([status, error]).toMatchObject([400, { ...refused, code }])
    expect((error as Json).message).toMatch(new RegExp(`'${id}'.*(queued|in_progress).*GET /v1/responses`))
    const cancelled = await setting.post(`/v1/responses/${id}/cancel`, {})
    expect(cancelled.json().status).toBe('cancelled')
    expect(await goOn(setting, id)).toMatchObject([
      400,
      { code: 'previous_response_failed', message: expect.stringMatching(/was cancelled.*again/) },
    ])
    expect(setting.model.requests).toHaveLength(1)
  })

  test('A failed response cannot be continued, but the one before it can.', async () => {
    const setting = openHarness('chat', [says('A.'), says('Once upon', { fault: { cut: 2 } }), says('C.')])
    const first = await asker(setting)({ input: 'One.' })
    const failed = await asker(setting, true)({ input: 'Two.', previous_response_id: first.id })
    expect(failed.status).toBe('failed')
    const [status, error] = await goOn(setting, failed.id)
    expect([status, error]).toMatchObject([400, { ...refused, code: 'previous_response_failed' }])
    expect((error as Json).message).toContain(`'${first.id}'`)
    const again = await asker(setting)({ input: 'Two.', previous_response_id: first.id })
    expect(again.status).toBe('completed')
  })

  test.each([7, '', {}])('The value %j is refused as the id of a response.', async id => {
    const [status, error] = await goOn(openHarness('chat', []), id)
    expect([status, error]).toMatchObject([400, { param: 'previous_response_id' }])
  })
})

describe('item_reference', () => {
  test.each(['chat', 'messages'] as const)(
    'An item reference stands for the stored item, over %s.',
    async (wire: Wire) => {
      const setting = openHarness(wire, [look, says('Blue.')])
      const ask = asker(setting)
      const first = await ask({ input: 'What colour?' })
      const [call] = first.output as Json[]
      await ask({
        input: [
          { role: 'user', content: 'What colour?' },
          { type: 'item_reference', id: call?.id },
          output('call_a', 'blue'),
        ],
      })
      const { calls: seen, results } = setting.model.requests[1] ?? {}
      expect(seen).toEqual([{ id: 'call_a', name: 'look', arguments: expect.stringContaining('sky') }])
      expect(results).toMatchObject([{ callId: 'call_a', text: 'blue' }])
    },
  )

  test('An item that is in the history already is not repeated by its reference. [field G03]', async () => {
    const setting = openHarness('chat', [look, says('Blue.')])
    const ask = asker(setting)
    const first = await ask({ input: 'What colour?' })
    const [call] = first.output as Json[]
    const input = [{ type: 'item_reference', id: call?.id }, output('call_a', 'blue')]
    await ask({ previous_response_id: first.id, input })
    expect(setting.model.requests[1]?.calls).toHaveLength(1)
  })

  test('A reference to the item of another client is unknown.', async () => {
    const { gateway } = openHarness('chat', [look], { keys: ['one', 'two'] })
    const first = await asker(clientOf(gateway, 'one'))({ input: 'What colour?' })
    const id = (first.output as Json[])[0]?.id
    const told = await clientOf(gateway, 'two').post('/v1/responses', {
      model: 'm',
      input: [{ type: 'item_reference', id }],
    })
    expect([told.status, told.json().error]).toMatchObject([
      400,
      { code: 'item_not_found', param: 'input[0].id' },
    ])
  })
})

test('Items that are sent in full with ids of their own need no store. [field A23]', async () => {
  const setting = openHarness('chat', [says('B.')])
  const input = [
    { type: 'message', id: 'msg_7', role: 'user', content: 'One.' },
    { type: 'function_call', id: 'fc_7', call_id: 'call_7', name: 'look', arguments: '{}' },
    { ...output('call_7', 'blue'), id: 'fco_7' },
  ]
  await asker(setting)({ input, store: false })
  expect(setting.model.requests[0]?.results).toMatchObject([{ callId: 'call_7', text: 'blue' }])
})
