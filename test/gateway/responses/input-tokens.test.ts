/** `POST /v1/responses/input_tokens`, and bodies that clients compress. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { says } from '@toolwire/core/testing'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { adapters, openNodeAdapter } from '../../support/faults/adapters.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const closing = closeAfterEach()
const path = '/v1/responses/input_tokens'

test('The openai client counts the tokens of a request, and of what it continues.', async () => {
  const { gateway } = openHarness('chat', [says('One, two, three, four, five, six, seven, eight.')])
  const adapter = await openNodeAdapter(gateway)
  closing.push(async () => {
    await gateway.close()
    await adapter.close()
  })
  const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${adapter.port}/v1`, maxRetries: 0 })
  const alone = await client.responses.inputTokens.count({ model: 'gpt-4o', input: 'And then?' })
  expect(alone.object).toBe('response.input_tokens')
  expect(alone.input_tokens).toBeGreaterThan(2)
  const { id } = await client.responses.create({ model: 'gpt-4o', input: 'Count to eight, please.' })
  const whole = await client.responses.inputTokens.count({
    model: 'gpt-4o',
    input: 'And then?',
    previous_response_id: id,
  })
  expect(whole.input_tokens).toBeGreaterThan(alone.input_tokens + 15)
})

test('A response that does not exist cannot be counted, and one of another key neither.', async () => {
  const { post } = openHarness('chat', [])
  const told = await post(path, { model: 'm', input: 'A', previous_response_id: 'resp_none' })
  expect([told.status, told.json().error]).toMatchObject([400, { code: 'previous_response_not_found' }])
})

describe.each(adapters)('through %s', (_, open) => {
  test('A compressed body is read, and one that is something else is refused in the format of the wire.', async () => {
    const { gateway, model } = openHarness('chat', () => says('Hello.'))
    const adapter = await open(gateway)
    closing.push(async () => {
      await gateway.close()
      await adapter.close()
    })
    const send = (body: BodyInit, encoding: string): Promise<Response> =>
      adapter.request('/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body,
      })
    const json = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Grüße' }] })
    expect((await send(new Uint8Array(gzipSync(json)), 'gzip')).status).toBe(200)
    expect((await send(new Uint8Array(brotliCompressSync(json)), 'br')).status).toBe(200)
    expect(model.requests.map(({ user }) => user)).toEqual(['Grüße', 'Grüße'])
    const wrong = await send(json, 'gzip')
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { type: 'error' }])
    expect((await send(json, 'compress')).status).toBe(415)
    expect(gateway.memoryUsed).toBe(0)
  })
})
