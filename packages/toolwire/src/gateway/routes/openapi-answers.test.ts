/** What the gateway really answers is what its document says. */
import { defineTool } from '@toolwire/core'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../store/memory-store.ts'
import { createTraceRing } from '../../telemetry/traces/trace-ring.ts'
import { createGateway } from '../create-gateway.ts'
import type { Transport } from '../http/contract.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { describedAnswer, misfits, type Node, resolve, undescribed } from './openapi/document.test-helper.ts'

const completion = {
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}
const chunk = {
  ...completion,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }],
}

/** An upstream that always says the same. */
const upstream: Transport = ({ body }, receiver) => {
  const streams = String(Buffer.from(body)).includes('"stream":true')
  queueMicrotask(() => {
    receiver.head(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
    const text = streams ? `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` : JSON.stringify(completion)
    receiver.data(Buffer.from(text))
    receiver.end()
  })
  return { pause: () => {}, resume: () => {}, abort: () => {} }
}

const ring = createTraceRing()
const gateway = createGateway({
  upstreams: [
    {
      name: 'local',
      wire: 'chat',
      baseUrl: 'http://upstream.test/v1',
      models: ['small'],
      transport: upstream,
    },
  ],
  store: createMemoryStore(),
  metrics: () => 'up 1\n',
  observer: ring,
  traces: ring,
  tools: [defineTool({ name: 'search', description: 'Searches', handler: () => 'found' })],
})
const fetch = createFetchHandler(gateway)
afterAll(() => gateway.close())

interface Asked {
  readonly body?: object
  readonly headers?: Record<string, string>
  /** The path with its parameters filled in. */
  readonly target?: string
}

/** Asks, and holds the answer against the document. */
async function ask(
  method: string,
  path: string,
  { body, headers, target = path }: Asked = {},
): Promise<{ status: number; value: Node }> {
  const response = await fetch(
    new Request(`http://localhost${target}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const described = describedAnswer(method, path, response.status)
  expect(described, `status ${response.status}`).toBeDefined()
  const text = await response.text()
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const content = described?.content as Record<string, Node>
  expect(Object.keys(content)).toContain(type)
  const value: unknown = type === 'application/json' ? JSON.parse(text) : text
  expect(misfits(content[type]?.schema, value)).toEqual([])
  for (const [name, header] of Object.entries(described?.headers as Node)) {
    const given = response.headers.get(name)
    if (resolve(header)?.required === true) expect(given, name).not.toBeNull()
  }
  const known = [...Object.keys(described?.headers as Node), 'x-accel-buffering', 'x-content-type-options']
  for (const name of response.headers.keys()) if (name.startsWith('x-')) expect(known).toContain(name)
  return { status: response.status, value: value as Node }
}

const asMessages = { 'anthropic-version': '2023-06-01' }
const user = [{ role: 'user', content: 'Hi.' }]

describe.each([
  ['/v1/chat/completions', { model: 'small', messages: user }],
  ['/v1/responses', { model: 'small', input: 'Hi.' }],
  ['/v1/messages', { model: 'small', messages: user, max_tokens: 9 }],
])('%s', (path, body) => {
  test('Answers, streams and refusals of an exchange are as the document describes them.', async () => {
    expect(await ask('POST', path, { body, headers: { 'x-toolwire-report': '1' } })).toMatchObject({
      status: 200,
    })
    expect(await ask('POST', path, { body: { ...body, stream: true } })).toMatchObject({ status: 200 })
    expect(await ask('POST', path, { body: { ...body, model: 'unknown' } })).toMatchObject({ status: 404 })
    expect(await ask('POST', path, { body, headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    })
  })
})

test('Counts of tokens are as the document describes them.', async () => {
  const path = '/v1/messages/count_tokens'
  expect((await ask('POST', path, { body: { model: 'small', messages: user } })).status).toBe(200)
  expect((await ask('POST', path, { body: {} })).status).toBe(400)
})

test.each([[{}], [asMessages]])(
  'Models are as the document describes them, with the headers %j.',
  async headers => {
    const target = '/v1/models/small'
    expect((await ask('GET', '/v1/models', { headers })).status).toBe(200)
    expect((await ask('GET', '/v1/models/{model}', { target, headers })).status).toBe(200)
    expect((await ask('GET', '/v1/models/{model}', { target: '/v1/models/none', headers })).status).toBe(404)
  },
)

test('Stored responses are as the document describes them.', async () => {
  const { value } = await ask('POST', '/v1/responses', {
    body: { model: 'small', input: 'Hi.', background: true },
  })
  const target = `/v1/responses/${String(value.id)}`
  expect((await ask('POST', '/v1/responses/{id}/cancel', { target: `${target}/cancel` })).status).toBe(200)
  expect((await ask('GET', '/v1/responses/{id}', { target })).status).toBe(200)
  const items = '/v1/responses/{id}/input_items'
  expect((await ask('GET', items, { target: `${target}/input_items?limit=1&order=asc` })).status).toBe(200)
  expect((await ask('GET', items, { target: `${target}/input_items?limit=101` })).status).toBe(400)
  expect((await ask('DELETE', '/v1/responses/{id}', { target })).status).toBe(200)
  expect((await ask('GET', '/v1/responses/{id}', { target })).status).toBe(404)
})

test('Conversations are as the document describes them.', async () => {
  const items = [{ type: 'message', role: 'user', content: 'Hi.' }]
  const { value } = await ask('POST', '/v1/conversations', { body: { items } })
  const id = '/v1/conversations/{id}'
  const target = `/v1/conversations/${String(value.id)}`
  expect((await ask('GET', id, { target })).status).toBe(200)
  expect((await ask('POST', id, { target, body: { metadata: { a: 'b' } } })).status).toBe(200)
  const added = await ask('POST', `${id}/items`, { target: `${target}/items`, body: { items } })
  const [first] = added.value.data as { id: string }[]
  expect((await ask('GET', `${id}/items`, { target: `${target}/items` })).status).toBe(200)
  const item = { target: `${target}/items/${first?.id}` }
  expect((await ask('GET', `${id}/items/{item}`, item)).status).toBe(200)
  expect((await ask('DELETE', `${id}/items/{item}`, item)).status).toBe(200)
  expect((await ask('GET', `${id}/items/{item}`, item)).status).toBe(404)
  expect((await ask('DELETE', id, { target })).status).toBe(200)
  expect((await ask('GET', id, { target })).status).toBe(404)
})

test('Answers about the gateway itself are as the document describes them.', async () => {
  for (const path of ['/live', '/ready', '/metrics', '/version', '/openapi.json', '/toolwire/traces'])
    expect((await ask('GET', path)).status, path).toBe(200)
  expect((await ask('GET', '/toolwire/traces/{id}', { target: '/toolwire/traces/none' })).status).toBe(404)
})

test('Traces, readings, bodies on every wire and the state of the gateway have the fields that the document describes, and no others.', async () => {
  const read = async (method: string, path: string, asked: Asked = {}): Promise<Node> => {
    const { status, value } = await ask(method, path, asked)
    expect(status, path).toBe(200)
    const content = describedAnswer(method, path, 200)?.content as Record<string, { schema: Node }>
    expect(undescribed(content['application/json']?.schema, value), path).toEqual([])
    return value
  }
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'own', parameters: { type: 'object' } }]
  const image = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: 'Hi.' }, image] },
    { type: 'function_call', call_id: 'c', name: 'own', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'done' },
  ]
  const first = await ask('POST', '/v1/responses', {
    body: { model: 'small', instructions: 'Be brief.', input, tools },
  })
  const previous_response_id = String(first.value.id)
  await ask('POST', '/v1/responses', {
    body: { model: 'small', input: 'On.', previous_response_id, stream: true },
  })
  await ask('POST', '/v1/messages', { body: { model: 'small', max_tokens: 5, messages: user } })
  await ask('POST', '/v1/chat/completions', { body: { model: 'unknown', messages: user } })
  const { data } = await read('GET', '/toolwire/traces')
  expect((data as unknown[]).length).toBeGreaterThan(3)
  for (const { id } of data as { id: string }[]) {
    const trace = await read('GET', '/toolwire/traces/{id}', { target: `/toolwire/traces/${id}` })
    await read('GET', '/toolwire/traces/{id}/reading', { target: `/toolwire/traces/${id}/reading` })
    await read('POST', '/toolwire/read', { body: { trace } })
  }
  await read('POST', '/toolwire/diff', { body: { value: { model: 'm', input, tools }, from: 'responses' } })
  await read('GET', '/toolwire/status')
})
