/** Requests that no upstream could answer as they are meant: refused in the client's wire, whole and streamed. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { collectFacts } from '../../../../../test/support/gateway/watch-facts.ts'
import { createGateway } from '../create-gateway.ts'
import type { Transport } from '../http/contract.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import type { Upstream } from '../settings.ts'

type Wire = 'chat' | 'responses' | 'messages'

const paths: { readonly [W in Wire]: string } = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}
const completion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
}

/** A gateway before an upstream of the wire, and the bodies that the upstream was sent. */
function open(wire: Wire, more: Partial<Upstream> = {}) {
  const sent: string[] = []
  const transport: Transport = ({ body }, receiver) => {
    sent.push(String(Buffer.from(body)))
    queueMicrotask(() => {
      receiver.head(200, { 'content-type': 'application/json' })
      receiver.data(Buffer.from(JSON.stringify(completion)))
      receiver.end()
    })
    return { pause: () => {}, resume: () => {}, abort: () => {} }
  }
  const upstream = { name: 'u', wire, baseUrl: 'http://upstream.invalid/v1', transport, retries: 0, ...more }
  const gateway = createGateway({ upstreams: [upstream] })
  onTestFinished(() => gateway.close())
  const fetch = createFetchHandler(gateway)
  const ask = async (from: Wire, body: object) => {
    const response = await fetch(
      new Request(`http://localhost${paths[from]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...(from === 'messages' && { max_tokens: 9 }), ...body }),
      }),
    )
    return {
      status: response.status,
      text: await response.text(),
      losses: response.headers.get('x-toolwire-losses'),
    }
  }
  return { ask, sent }
}

const picture = {
  responses: { type: 'input_image', file_id: 'file-1' },
  messages: { type: 'image', source: { type: 'file', file_id: 'file_1' } },
  chat: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
}
const history = (from: Wire, turns: readonly object[]) => ({
  [from === 'responses' ? 'input' : 'messages']: turns,
})

describe.each([
  ['responses', 'chat'],
  ['messages', 'chat'],
  ['chat', 'messages'],
] as const)('from %s to %s', (from, to) => {
  const asked = { role: 'user', content: [picture[from]] }

  test.each([false, true])(
    'A picture that the upstream cannot take is refused with its place (stream: %s).',
    async stream => {
      const { ask, sent } = open(to)
      const { status, text } = await ask(from, { ...history(from, [asked]), stream })
      expect([status, sent]).toEqual([400, []])
      const { error } = JSON.parse(text)
      expect(error.message).toMatch(/\[0\]\.content\[0\]: .* Send .*\[media_refused\]/)
      if (from === 'messages')
        expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
      else expect(error).toMatchObject({ type: 'invalid_request_error', code: 'media_refused' })
    },
  )

  test('A request without a message is refused.', async () => {
    const { ask, sent } = open(to)
    const { status, text } = await ask(from, history(from, []))
    expect([status, sent]).toEqual([400, []])
    expect(text).toContain('request_emptied')
  })
})

test('Later in the conversation a note stands for it, and the loss is counted.', async () => {
  const { ask, sent } = open('chat')
  const turns = [
    { role: 'user', content: [picture.responses] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: 'And its name?' },
  ]
  const { status, losses } = await ask('responses', { input: turns })
  expect([status, losses]).toEqual([200, '1'])
  expect(sent[0]).toContain('[An image that cannot be shown here]')
})

test('The setting "media" of an upstream allows the note at once.', async () => {
  const { ask, sent } = open('chat', { media: { image: 'note' } })
  const { status } = await ask('responses', { input: [{ role: 'user', content: [picture.responses] }] })
  expect(status).toBe(200)
  expect(sent[0]).toContain('[An image that cannot be shown here]')
})

test('A forced search that the upstream does not have is refused, not answered plainly.', async () => {
  const { ask, sent } = open('chat')
  const { status, text } = await ask('messages', {
    messages: [{ role: 'user', content: 'News?' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'tool', name: 'web_search' },
  })
  expect([status, sent]).toEqual([400, []])
  expect(text).toContain('tool_choice_impossible')
})

test.each([
  ['which no upstream has', 'x', 'model_not_found'],
  ['whose upstream is switched off', 'off', 'upstream_disabled'],
  ['whose name is too long', 'x'.repeat(2000), 'model_not_found'],
])('Observers learn the wire and the model of a request for a model %s.', async (_, model, code) => {
  const { observer, facts } = collectFacts()
  const place = { wire: 'chat', baseUrl: 'http://upstream.invalid/v1' }
  const upstreams = [
    { ...place, name: 'u', models: ['m'] },
    { ...place, name: 'v', models: ['off'], disabled: 'its key is not set.' },
  ]
  const gateway = createGateway({ upstreams, observer })
  onTestFinished(() => gateway.close())
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost/v1/messages', { method: 'POST', headers, body })
  await (await createFetchHandler(gateway)(request)).text()
  const failure = { code: expect.stringContaining(code) }
  expect(facts).toMatchObject([{ wire: 'messages', model: model.slice(0, 200), failure }])
})
