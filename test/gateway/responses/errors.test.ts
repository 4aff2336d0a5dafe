/** Failures: before an answer a status and a body in the words of the wire, inside a stream an event and an end. */
import type { ScriptedTurn } from '@toolwire/core/testing'
import { fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness } from '../../support/open-responses/gateway.ts'
import { checkResponse, errorBody } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const ask = { model: 'm', input: 'hi' }
const wires = ['chat', 'messages', 'responses'] as const

const errorOf = (body: Json): Json => {
  expect(errorBody.safeParse(body).error).toBeUndefined()
  return body.error as Json
}

describe('an upstream that refuses', () => {
  const refusals = [
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [429, 'rate_limit_error'],
    [500, 'server_error'],
    [503, 'service_unavailable_error'],
  ] as const
  const cases = refusals.flatMap(([status, type]) =>
    wires.flatMap(wire => [false, true].map(stream => ({ status, type, wire, stream }))),
  )
  test.each(cases)(
    'A refusal with $status on $wire reaches the client (stream: $stream).',
    async ({ status, type, wire, stream }) => {
      const { post } = openHarness(wire, [fails(status, 'No luck today.')])
      const told = await post('/v1/responses', { ...ask, stream })
      expect([told.status, told.headers['content-type']]).toEqual([status, 'application/json'])
      expect(errorOf(told.json())).toMatchObject({ message: 'No luck today.', type })
    },
  )

  test('A refusal says when to try again.', async () => {
    const { post } = openHarness('chat', [fails(429, 'Slow down.', { 'retry-after': '7' })])
    expect((await post('/v1/responses', ask)).headers['retry-after']).toBe('7')
  })

  test('A refusal without a readable body is described by its status.', async () => {
    const { post } = openHarness('chat', [{ status: 500, body: '<html><b>Oops</b></html>' }])
    const told = await post('/v1/responses', ask)
    expect(told.status).toBe(500)
    expect(errorOf(told.json()).message).toContain('Oops')
  })
})

describe('a request that cannot be served', () => {
  test.each([
    ['is no JSON', '{"model":', 400, null],
    ['is empty', '', 400, null],
    ['is a list', [ask], 400, null],
    ['names no model', { input: 'hi' }, 400, 'model'],
    [
      'refers to an unknown response',
      { ...ask, previous_response_id: 'resp_x' },
      400,
      'previous_response_id',
    ],
    ['refers to an unknown conversation', { ...ask, conversation: 'conv_x' }, 404, 'conversation'],
    [
      'refers to an unknown item',
      { ...ask, input: [{ type: 'item_reference', id: 'x' }] },
      400,
      'input[0].id',
    ],
    [
      'brings two histories',
      { ...ask, previous_response_id: 'a', conversation: 'b' },
      400,
      'previous_response_id',
    ],
    ['has an input that is one item', { ...ask, input: { role: 'user', content: 'Hi' } }, 400, 'input'],
    ['has a number for an input', { ...ask, input: 5 }, 400, 'input'],
    ['has a tool_choice that means nothing', { ...ask, tool_choice: 'sometimes' }, 400, 'tool_choice'],
  ])('The request fails because it %s.', async (_, body, status, param) => {
    const { post, model } = openHarness('chat', [])
    const told = await post('/v1/responses', body)
    expect(told.status).toBe(status)
    expect(errorOf(told.json())).toMatchObject({ param })
    expect(model.requests).toEqual([])
  })

  test('A request for a model that no upstream serves is refused.', async () => {
    const { post } = openHarness('chat', [], { upstream: { models: ['known'] } })
    const told = await post('/v1/responses', ask)
    expect(told.status).toBe(404)
    expect(errorOf(told.json())).toMatchObject({ code: 'model_not_found', param: 'model' })
  })

  test('A request without a key, with a wrong key, or not declared as JSON is refused.', async () => {
    const { gateway } = openHarness('chat', [says('Hi.')], { keys: ['right'] })
    for (const visitor of [clientOf(gateway), clientOf(gateway, 'wrong')]) {
      const told = await visitor.post('/v1/responses', ask)
      expect(told.status).toBe(401)
      expect(errorOf(told.json()).code).toBe('invalid_api_key')
    }
    const { post } = clientOf(gateway, 'right')
    expect((await post('/v1/responses', ask, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post('/v1/responses', ask)).status).toBe(200)
  })

  test('A request for an unknown path or method is refused.', async () => {
    const { get, remove } = openHarness('chat', [])
    expect(errorOf((await get('/v1/responses/x/y')).json()).code).toBe('unknown_route')
    expect((await get('/v1/responses/x/y')).status).toBe(404)
    const told = await remove('/v1/responses')
    expect([told.status, told.headers.allow]).toEqual([405, 'POST, GET'])
    errorOf(told.json())
  })

  test.each(['compact', 'input_tokens'])('The path %s is not the id of a response.', async name => {
    const { get } = openHarness('chat', [])
    const told = await get(`/v1/responses/${name}`)
    expect(told.status).toBe(405)
    errorOf(told.json())
  })
})

describe('a stream that fails on the way', () => {
  const turn: ScriptedTurn = { reasoning: 'Hm.', text: 'Once upon a time there was' }
  const faults = {
    'the upstream says so': { errorFrame: 4, error: { message: 'Burnt out.', code: 'server_error' } },
    'it breaks off': { cut: 5 },
    'the connection is lost': { reset: 5 },
  } as const
  const cases = Object.entries(faults).flatMap(([why, fault]) => wires.map(wire => ({ why, fault, wire })))

  test.each(cases)(
    'A stream that fails because $why, on $wire, ends with an error event and response.failed.',
    async ({ fault, wire }) => {
      const { post } = openHarness(wire, [{ ...turn, fault }], { upstream: { state: 'gateway' } })
      const told = await post('/v1/responses', { ...ask, stream: true })
      expect(told.status).toBe(200)
      expect(checkStream(told.writes)).toEqual([])
      const [error = {}, failed = {}] = eventsOf(told.text).slice(-2)
      expect([error.type, failed.type]).toEqual(['error', 'response.failed'])
      const { code, message } = (failed.response as Json).error as Json
      expect(code).toEqual(expect.any(String))
      expect(message).toBe((error.error as Json).message)
    },
  )

  test('A stream that fails reports the message of the upstream.', async () => {
    const { post } = openHarness('chat', [{ ...turn, fault: faults['the upstream says so'] }])
    const told = await post('/v1/responses', { ...ask, stream: true })
    expect(eventsOf(told.text).at(-1)?.response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'Burnt out.' },
    })
  })

  test('A stream that fails is stored as far as it got.', async () => {
    const { post, get } = openHarness('chat', [{ ...turn, fault: { cut: 5 } }])
    const told = await post('/v1/responses', { ...ask, stream: true })
    const failed = eventsOf(told.text).at(-1)?.response as Json
    const kept = (await get(`/v1/responses/${failed.id}`)).json()
    expect(kept).toEqual(failed)
    expect(checkResponse(kept)).toEqual([])
  })
})

describe('a whole answer that fails', () => {
  test.each([
    ['is not JSON', { text: 'x', fault: { malformed: 0 } }, 502, 'upstream_malformed'],
    ['never comes', { fault: 'unreachable' }, 502, 'upstream_unreachable'],
  ] as const)('The request fails because it %s.', async (_, turn, status, code) => {
    const { post } = openHarness('chat', [turn])
    const told = await post('/v1/responses', ask)
    expect(told.status).toBe(status)
    expect(errorOf(told.json()).code).toBe(code)
  })
})

describe('truncation', () => {
  const long = Array.from({ length: 200 }, (_, n) => ({ role: 'user', content: `line ${n}` }))

  test.each([...wires])('With truncation disabled nothing is dropped on the way to %s.', async wire => {
    const { post, model } = openHarness(wire, [says('Hi.')], { upstream: { state: 'gateway' } })
    await post('/v1/responses', { ...ask, input: long, truncation: 'disabled' })
    const sent = JSON.stringify(model.requests[0]?.body)
    for (const { content } of long) expect(sent).toContain(`${content}"`)
  })

  test('With truncation disabled the request fails when the upstream finds it too long.', async () => {
    const error = { message: 'Too long.', code: 'context_length_exceeded' }
    const { post } = openHarness('chat', [fails(400, error)])
    const told = await post('/v1/responses', { ...ask, truncation: 'disabled' })
    expect(told.status).toBe(400)
    expect(errorOf(told.json())).toMatchObject(error)
  })
})
