/**
 * Upstreams of the client's own wire of which nobody knows whether they make summaries, and summaries that they cannot
 * read: the conversation goes on, and what was lost is said.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayOptions } from '../../../packages/toolwire/src/gateway/settings.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'
import type { Json } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

type Ask = (path: string, body: Json) => Response

function open(wire: 'responses' | 'messages', ask: Ask, options: Partial<GatewayOptions> = {}) {
  const asked: { readonly path: string; readonly body: Json }[] = []
  const { observer, facts } = collectFacts()
  const transport = transportTo(async (url, init) => {
    const { pathname: path } = new URL(String(url))
    const body = JSON.parse(new TextDecoder().decode(bytesOf(init?.body))) as Json
    asked.push({ path, body })
    return ask(path, body)
  })
  const gateway = createGateway({ upstreams: [upstreamTo(wire, transport)], observer, ...options })
  onTestFinished(() => gateway.close())
  return { asked, facts, gateway, ...clientOf(gateway) }
}

function bytesOf(body: unknown): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : (body as Uint8Array)
}

const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'the cipher of another server' }
const block = { type: 'compaction', content: 'The sky is blue.', encrypted_content: 'of another server' }
const user = (content: unknown): Json => ({ role: 'user', content })
const history = [user('What colour is the sky?'), { role: 'assistant', content: 'Blue.' }, user('Sure?')]
const usage = { input_tokens: 900, output_tokens: 1, total_tokens: 901 }

/** An answer on either wire, whole or as a stream. */
function says(wire: string, text: string, streamed = false): Response {
  if (wire === 'messages') return Response.json(messageOf([{ type: 'text', text }]))
  const message = {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  return streamed ? streamOf([message]) : Response.json(responseOf([message]))
}

const messageOf = (content: unknown, stop_reason = 'end_turn'): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  usage,
})

const responseOf = (output: unknown): Json => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
  usage,
})

function streamOf(output: readonly Json[]): Response {
  const events: readonly Json[] = [
    { type: 'response.created', response: { ...responseOf([]), status: 'in_progress' } },
    ...output.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: each },
      { type: 'response.output_item.done', output_index, item: each },
    ]),
    { type: 'response.completed', response: responseOf(output) },
  ]
  const text = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

const refusal = (message: string, status = 400): Response =>
  Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status })

const textOf = (value: unknown): string => JSON.stringify(value)
const summarises = (body: Json): boolean => textOf(body).includes('<conversation>')
const workerFile = await buildWorkerFile()
const places = [
  { place: 'the event loop', options: {} },
  { place: 'a worker thread', options: { workerFile, limits: { inlineBytes: 1, workers: 1 } } },
]

describe.each(places)('on $place', ({ options }) => {
  test.each([
    'The encrypted content for item cmp_1 could not be verified.',
    "Input tag 'compaction' found using 'type' does not match any of the expected tags",
  ])('A summary of another server becomes a note when the upstream refuses it: %s', async why => {
    const told = open(
      'responses',
      (_, body) => (textOf(body).includes('cipher') ? refusal(why) : says('responses', 'Yes.')),
      options,
    )
    const body = { model: 'm', input: [item, user('Sure?')] }
    const answer = await told.post('/v1/responses', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain('Yes.')
    expect(textOf(told.asked.at(-1)?.body)).toContain('which cannot be read')
    expect(told.facts.at(-1)?.losses).toMatchObject([{ code: 'compaction_unreadable', path: ['input', 0] }])
    expect(told.facts.at(-1)?.failure).toBeUndefined()
    // It may be the upstream's own for another client.
    await told.post('/v1/responses', body)
    expect(told.asked.map(({ body }) => textOf(body).includes('cipher'))).toEqual([true, false, true, false])
    expect(told.gateway.memoryUsed).toBe(0)
  })

  test('On Messages the note quotes what can be read of the summary.', async () => {
    const told = open(
      'messages',
      (_, body) =>
        textOf(body).includes('"compaction"')
          ? refusal('compaction_signature_invalid')
          : says('messages', 'Yes.'),
      options,
    )
    const messages = [{ role: 'assistant', content: [block] }, user('Sure?')]
    const answer = await told.post('/v1/messages', { model: 'm', max_tokens: 9, messages })
    expect(answer.status, answer.text).toBe(200)
    expect(textOf(told.asked.at(-1)?.body)).toContain('The sky is blue.')
    expect(told.facts.at(-1)?.losses).toMatchObject([{ code: 'compaction_unreadable' }])
  })

  test('A refusal for any other reason reaches the client, and the upstream is asked once.', async () => {
    for (const why of ['The model is gone.', 'This is longer than the context length of the model.']) {
      const told = open('responses', () => refusal(why), options)
      const answer = await told.post('/v1/responses', { model: 'm', input: [item, user('Sure?')] })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain(why)
      expect(told.asked).toHaveLength(1)
    }
  })

  test('An upstream without the address for a shorter conversation is asked for a summary, then and later.', async () => {
    const told = open(
      'responses',
      path => (path.endsWith('/compact') ? refusal('Not found', 404) : says('responses', 'Summary.')),
      options,
    )
    for (const paths of [['/v1/responses/compact', '/v1/responses'], ['/v1/responses']]) {
      told.asked.length = 0
      const answer = await told.post('/v1/responses/compact', { model: 'm', input: history })
      expect(answer.status, answer.text).toBe(200)
      expect((answer.json().output as Json[]).at(-1)?.type).toBe('compaction')
      expect(told.asked.map(({ path }) => path)).toEqual(paths)
    }
  })

  test.each([false, true])(
    'An upstream that ignores a trigger is asked for a summary, stream: %s.',
    async stream => {
      const told = open(
        'responses',
        (_, body) => says('responses', summarises(body) ? 'Summary.' : 'Nice.', stream),
        options,
      )
      for (const count of [2, 1]) {
        told.asked.length = 0
        const input = [...history, { type: 'compaction_trigger' }]
        const answer = await told.post('/v1/responses', { model: 'm', input, stream })
        expect(answer.status, answer.text).toBe(200)
        const output = stream
          ? (eventsOf(answer.text).at(-1)?.response as Json | undefined)?.output
          : answer.json().output
        expect(output).toMatchObject([{ type: 'compaction' }])
        expect(answer.text).not.toContain('Nice.')
        expect(told.asked).toHaveLength(count)
      }
    },
  )

  test.each([false, true])(
    'What an upstream makes itself is passed on as it is, stream: %s.',
    async stream => {
      const told = open(
        'responses',
        () => (stream ? streamOf([item]) : Response.json(responseOf([item]))),
        options,
      )
      for (const _ of [1, 2]) {
        const input = [...history, { type: 'compaction_trigger' }]
        const answer = await told.post('/v1/responses', { model: 'm', input, stream })
        expect(answer.text).toBe(await (stream ? streamOf([item]) : Response.json(responseOf([item]))).text())
      }
      expect(told.asked).toHaveLength(2)
    },
  )

  test('An upstream of Messages that ignores a demand is asked for a summary.', async () => {
    const told = open(
      'messages',
      (_, body) => says('messages', summarises(body) ? 'Summary.' : 'Nice.'),
      options,
    )
    const body = { model: 'm', max_tokens: 9, messages: history, compaction: { type: 'summarize' } }
    const answer = await told.post('/v1/messages', body)
    expect(answer.json().content).toMatchObject([{ type: 'compaction', content: 'Summary.' }])
  })

  test('A threshold that an upstream refuses is met here.', async () => {
    const told = open(
      'responses',
      (_, body) =>
        'context_management' in body
          ? refusal('Unknown parameter: context_management')
          : says('responses', summarises(body) ? 'Summary.' : 'Yes.'),
      options,
    )
    const context_management = [{ type: 'compaction', compact_threshold: 1 }]
    const answer = await told.post('/v1/responses', { model: 'm', input: history, context_management })
    expect(answer.json().output).toMatchObject([{ type: 'compaction' }, { type: 'message' }])
    expect(told.asked).toHaveLength(3)
  })

  test.each([false, true])(
    'A threshold that an upstream ignores is reported, and then met here, stream: %s.',
    async stream => {
      const told = open(
        'responses',
        (_, body) => says('responses', summarises(body) ? 'Summary.' : 'Yes.', body.stream === true),
        options,
      )
      const context_management = [{ type: 'compaction', compact_threshold: 3 }]
      const body = { model: 'm', input: history, context_management, stream }
      await told.post('/v1/responses', body)
      expect(told.facts.at(-1)?.losses).toMatchObject([
        { code: 'compaction_ignored', path: ['context_management', 0] },
      ])
      const answer = await told.post('/v1/responses', body)
      expect(answer.text).toContain('"compaction"')
      expect(told.facts.at(-1)?.losses).toEqual([])
    },
  )

  test('A threshold that was not reached proves nothing.', async () => {
    const told = open('responses', () => says('responses', 'Yes.'), options)
    const context_management = [{ type: 'compaction', compact_threshold: 1000 }]
    await told.post('/v1/responses', { model: 'm', input: history, context_management })
    expect(told.facts.at(-1)?.losses).toEqual([])
  })

  test('What only the upstream has is not summarised here.', async () => {
    const told = open('responses', () => says('responses', 'Nice.'), options)
    const input = [user('Sure?'), { type: 'compaction_trigger' }]
    const answer = await told.post('/v1/responses', { model: 'm', input, previous_response_id: 'resp_0' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('compaction_failed')
    expect(told.asked).toHaveLength(1)
  })
})

test('An upstream that fails at everything is asked again for a summary by the next request.', async () => {
  let status = 404
  const told = open('responses', () =>
    status === 404 ? refusal('No such model', 404) : Response.json(responseOf([item])),
  )
  const ask = () => told.post('/v1/responses/compact', { model: 'm', input: history })
  expect((await ask()).status).toBe(404)
  status = 200
  expect((await ask()).json().output).toEqual([item])
})

test('A server that is known to make no summaries gets a note in place of one at once.', async () => {
  const asked: Json[] = []
  const transport = transportTo(async (_, init) => {
    asked.push(JSON.parse(String(init?.body)))
    return says('responses', 'Yes.')
  })
  const upstream = { ...upstreamTo('responses', transport), preset: 'vllm' }
  const { post } = clientOf(createGateway({ upstreams: [upstream] }))
  await post('/v1/responses', { model: 'm', input: [item, user('Sure?')] })
  expect(textOf(asked)).toContain('which cannot be read')
})
