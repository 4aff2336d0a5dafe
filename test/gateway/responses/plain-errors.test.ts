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
