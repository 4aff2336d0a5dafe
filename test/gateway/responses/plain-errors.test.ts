/** What a client is told of errors and losses beside their words. */
import { calls, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { openHarness } from '../../support/open-responses/gateway.ts'

const ask = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
}
const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }

test.each(['chat', 'responses', 'messages'] as const)(
  'An error that came with status 200 is an error on %s.',
  async wire => {
    const body = { error: { message: 'No.', type: 'server_error', param: null, code: null } }
    const { post, facts } = openHarness('chat', [{ body }])
    const told = await post(paths[wire], ask[wire])
    expect(told.status).toBe(500)
    expect(told.json()).toMatchObject({ error: { message: 'No.' } })
    expect(facts[0]?.failure).toMatchObject({ code: 'upstream_error', message: 'No.' })
  },
)

describe('on Messages', () => {
  test('Errors and answers on Messages have the id under which they can be traced.', async () => {
    const { post } = openHarness('messages', [says('Hello.')])
    const good = await post('/v1/messages', ask.messages)
    expect(good.headers['request-id']).toBe(good.headers['x-request-id'])
    const bad = await post('/v1/messages', { ...ask.messages, model: '' })
    expect(bad.json()).toMatchObject({ type: 'error', request_id: bad.headers['x-request-id'] })
  })
})

test('A request that passes unchanged has no losses.', async () => {
  const { post, model } = openHarness('chat', [calls({ name: 'f', arguments: {} })], { losses: 'strict' })
  const { status, headers } = await post(paths.chat, { ...ask.chat, tools: [{ type: 'web_search' }] })
  expect([status, headers['x-toolwire-losses']]).toEqual([200, '0'])
  expect(model.requests[0]?.body.tools).toEqual([{ type: 'web_search' }])
})

test('An error of an upstream on the same wire passes unchanged.', async () => {
  const upstream = { state: 'gateway' as const }
  const { post } = openHarness('responses', [fails(400, { message: 'No.' })], { upstream })
  const told = await post(paths.responses, ask.responses)
  expect(told.status).toBe(400)
  expect(Object.keys(told.json())).toEqual(['error'])
})

const wires = ['chat', 'responses', 'messages'] as const
const pairs = wires.flatMap(client => wires.map(upstream => [client, upstream] as const))

/** Bodies of no wire, as servers in Python and proxies write them. */
const loose = [
  [{ detail: 'Go away.' }, 'Go away.'],
  [{ message: 'Go away.' }, 'Go away.'],
  [{ detail: [{ loc: ['body'], msg: 'Go away.', type: 'x' }] }, 'Go away.'],
] as const

describe.each(pairs)('a client of %s and an upstream of %s', (client, upstream) => {
  const send = async (status: number, body: Readonly<Record<string, unknown>>, stream: boolean) => {
    const settings = { state: 'gateway' as const, retries: 0 }
    const { post } = openHarness(upstream, [{ status, body }], { upstream: settings })
    return post(paths[client], { ...ask[client], ...(stream && { stream }) })
  }

  test.each(loose)('An error as %j is an error with its words.', async (body, words) => {
    for (const stream of [false, true]) {
      for (const [status, openai, anthropic] of [
        [401, 'authentication_error', 'authentication_error'],
        [403, 'permission_error', 'permission_error'],
      ] as const) {
        const told = await send(status, body, stream)
        const { error } = told.json() as { error: { message: string; type: string } }
        expect([told.status, error.type]).toEqual([status, client === 'messages' ? anthropic : openai])
        expect(error.message).toContain(words)
      }
      const told = await send(422, body, stream)
      expect(told.status).toBe(422)
      // On its own wire it is what the client would have got without the gateway.
      if (client === upstream) expect(told.json()).toEqual(body)
      else expect(told.json()).toMatchObject({ error: { message: expect.stringContaining(words) } })
    }
  })
})
