/**
 * The 17 requests of the Open Responses compliance suite (contract of 2026-04-24) with what it asserts of each, over the
 * demo model, a Chat and a Messages upstream, before the judge of the contract.
 */
import type { SeenRequest } from '@toolwire/core/testing'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createDemoModel } from '../../../packages/toolwire/src/demo/demo-model.ts'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Message } from '../../support/gateway/socket.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'
import type { GatewayClient, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'
import { checkResponse, errorBody } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const scripted = (wire: 'chat' | 'messages') => () => {
  const answer = ({ tools, results }: SeenRequest) =>
    tools.length > 0 && results.length === 0
      ? calls({ name: 'get_weather', arguments: { location: 'San Francisco, CA' } })
      : says('OK, four.')
  const model = createScriptedModel({ wire, script: answer, pairing: 'refuse', pieces: { text: 3 } })
  return upstreamTo(wire, transportTo(model.fetch))
}

const upstreams = {
  'the demo model': () => upstreamTo('chat', createDemoModel({ pieceSize: 3 }).transport),
  'a Chat upstream': scripted('chat'),
  'a Messages upstream': scripted('messages'),
}

const model = 'demo'
const user = (content: unknown): Json => ({ type: 'message', role: 'user', content })
const assistant = (content: unknown, more: Json = {}): Json => ({
  type: 'message',
  role: 'assistant',
  ...more,
  content,
})
const typesOf = (response: Json): unknown[] => (response.output as Json[]).map(({ type }) => type)

const weather = {
  input: [user("What's the weather like in San Francisco?")],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      description: 'Get the current weather for a location',
      parameters: {
        type: 'object',
        properties: {
          location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
        },
        required: ['location'],
      },
    },
  ],
}

const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** Requests that are answered whole, by the names that the suite has for them. */
const whole: Readonly<Record<string, { readonly body: Json; readonly output: string }>> = {
  'basic-response': { body: { input: [user('Say hello in exactly 3 words.')] }, output: 'message' },
  'assistant-phase': {
    body: {
      input: [
        assistant('I should answer with the saved number.', { phase: 'commentary' }),
        assistant('The number is four.', { phase: 'final_answer' }),
        user('Repeat only the number.'),
      ],
    },
    output: 'message',
  },
  'system-prompt': {
    body: {
      input: [
        {
          type: 'message',
          role: 'system',
          content: 'You are a pirate. Always respond in pirate speak.',
        },
        user('Say hello.'),
      ],
    },
    output: 'message',
  },
  'tool-calling': { body: weather, output: 'function_call' },
  'image-input': {
    body: {
      input: [
        user([
          { type: 'input_text', text: 'What do you see in this image? Answer in one sentence.' },
          { type: 'input_image', image_url: image },
        ]),
      ],
    },
    output: 'message',
  },
  'multi-turn': {
    body: {
      input: [
        user('My name is Alice.'),
        assistant('Hello Alice! Nice to meet you. How can I help you today?'),
        user('What is my name?'),
      ],
    },
    output: 'message',
  },
}

interface Opened extends GatewayClient {
  readonly gateway: Gateway
}

function open(upstream: keyof typeof upstreams): Opened {
  const gateway = createGateway({ upstreams: [upstreams[upstream]()], store: createMemoryStore() })
  return { gateway, ...clientOf(gateway) }
}

/** Sends the requests one after another on a socket of its own; each may depend on the answers before it. */
async function onSocket(
  gateway: Gateway,
  requests: readonly (Json | ((before: readonly Message[][]) => Json))[],
): Promise<Message[][]> {
  const socket = await openTestSocket(gateway)
  const turns: Message[][] = []
  for (const request of requests) {
    const more = typeof request === 'function' ? request(turns) : request
    socket.send({ type: 'response.create', model, ...more })
    turns.push(await socket.response())
  }
  socket.disconnect()
  return turns
}

const responseOf = (turn: readonly Message[] | undefined): Json => turn?.at(-1)?.response as Json
const idOf = (turn: readonly Message[] | undefined): string => String(responseOf(turn)?.id)

/** A turn on a socket is held to the same rules as a stream. */
function expectCompleted(turn: readonly Message[] | undefined): void {
  const frames = turn?.map(({ headers: _, ...event }) => event) ?? []
  const writes = frames.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  expect(checkStream([...writes, 'data: [DONE]\n\n'])).toEqual([])
  expect(responseOf(turn)?.status).toBe('completed')
}

function expectError(turn: readonly Message[] | undefined, code: string): void {
  expect(turn).toHaveLength(1)
  const [event] = turn ?? []
  expect(event).toMatchObject({ type: 'error', status: 400, error: { code } })
  expect(errorBody.safeParse(event).error).toBeUndefined()
}

describe.each(Object.keys(upstreams) as (keyof typeof upstreams)[])('over %s', upstream => {
  test.each(Object.entries(whole))(
    '%s: The answer is complete and fits the contract.',
    async (_, { body, output }) => {
      const told = await open(upstream).post('/v1/responses', { model, ...body })
      expect([told.status, told.headers['content-type']], told.text).toEqual([200, 'application/json'])
      const response = told.json()
      expect(checkResponse(response)).toEqual([])
      expect([response.status, typesOf(response)]).toEqual(['completed', [output]])
    },
  )

  test.each([
    ['streaming-response', { input: [user('Count from 1 to 5.')] }],
    ['tool-calling, streamed', weather],
  ])('%s: The events fit the contract and end with the response.', async (_, body) => {
    const told = await open(upstream).post('/v1/responses', { model, ...body, stream: true })
    expect(told.status, told.text).toBe(200)
    expect(told.headers['content-type']).toMatch(/^text\/event-stream\b/)
    expect(checkStream(told.writes)).toEqual([])
    expect(eventsOf(told.text).at(-1)?.type).toBe('response.completed')
  })

  test('websocket-response: The events on a socket are those of a stream.', async () => {
    const { gateway } = open(upstream)
    const [turn] = await onSocket(gateway, [{ input: [user('Count from 1 to 3.')] }])
    expectCompleted(turn)
  })

  test('websocket-sequential-responses: One socket answers one request after another.', async () => {
    const { gateway } = open(upstream)
    const turns = await onSocket(gateway, [
      { store: false, input: 'Reply with exactly: first' },
      { store: false, input: 'Reply with exactly: second' },
    ])
    for (const turn of turns) expectCompleted(turn)
    expect(new Set(turns.map(idOf)).size).toBe(2)
  })

  test('websocket-continuation: What is not stored is continued on its socket with new input only.', async () => {
    const { gateway } = open(upstream)
    const turns = await onSocket(gateway, [
      { store: false, input: 'Remember the code word: cobalt. Reply with OK.' },
      ([first]) => ({
        store: false,
        previous_response_id: idOf(first),
        input: 'What is the code word? Reply with only the code word.',
      }),
    ])
    for (const turn of turns) expectCompleted(turn)
    expect(responseOf(turns[1])?.previous_response_id).toBe(idOf(turns[0]))
  })

  test('websocket-reconnect-store-false-recovery: Another socket does not know it, and goes on without it.', async () => {
    const { gateway } = open(upstream)
    const [first] = await onSocket(gateway, [{ store: false, input: 'Remember the code word: copper.' }])
    expectCompleted(first)
    const [lost, recovered] = await onSocket(gateway, [
      { store: false, previous_response_id: idOf(first), input: 'Try to continue after reconnect.' },
      { store: false, input: [user('Start a new response and reply with exactly: recovered')] },
    ])
    expectError(lost, 'previous_response_not_found')
    expectCompleted(recovered)
  })

  test('websocket-previous-response-not-found: An unknown id has its own code.', async () => {
    const [turn] = await onSocket(open(upstream).gateway, [
      { store: false, previous_response_id: 'resp_openresponses_missing_1', input: 'This should fail.' },
    ])
    expectError(turn, 'previous_response_not_found')
  })

  test('websocket-failed-continuation-evicts-cache: What a failed turn continued is forgotten.', async () => {
    const { gateway } = open(upstream)
    const [first, failed, stale] = await onSocket(gateway, [
      { store: false, input: 'Remember the code word: ember. Reply with OK.' },
      ([before]) => ({
        store: false,
        previous_response_id: idOf(before),
        input: [
          {
            type: 'function_call_output',
            call_id: 'call_openresponses_missing',
            output: 'No matching tool call exists in the previous response.',
          },
        ],
      }),
      ([before]) => ({ store: false, previous_response_id: idOf(before), input: 'Go on all the same.' }),
    ])
    expectCompleted(first)
    expect(['error', 'response.failed']).toContain(failed?.at(-1)?.type)
    expectError(stale, 'previous_response_not_found')
  })
})

describe.each(Object.keys(upstreams) as (keyof typeof upstreams)[])('compaction over %s', upstream => {
  const launch = [
    user('We agreed to launch on Tuesday and notify support first.'),
    assistant('Understood. The launch is Tuesday, with support notified beforehand.'),
  ]

  test('compact-response: The answer is a window with a compaction item.', async () => {
    const told = await open(upstream).post('/v1/responses/compact', {
      model,
      prompt_cache_key: 'openresponses-compact-test',
      input: launch,
    })
    expect(told.status, told.text).toBe(200)
    const compacted = told.json()
    expect(compacted).toMatchObject({
      id: expect.any(String),
      object: 'response.compaction',
      created_at: expect.any(Number),
      usage: {
        input_tokens: expect.any(Number),
        input_tokens_details: { cached_tokens: expect.any(Number) },
        output_tokens: expect.any(Number),
        output_tokens_details: { reasoning_tokens: expect.any(Number) },
        total_tokens: expect.any(Number),
      },
    })
    const items = (compacted.output as Json[]).filter(({ type }) => type === 'compaction')
    expect(items).toEqual([expect.objectContaining({ encrypted_content: expect.any(String) })])
  })

  test('compact-missing-model: A request without a model is refused.', async () => {
    const told = await open(upstream).post('/v1/responses/compact', { input: [user('Compact this.')] })
    expect([400, 422]).toContain(told.status)
    expect(errorBody.safeParse(told.json()).error).toBeUndefined()
  })

  test('websocket-compact-new-chain: The window is the beginning of a new chain on a socket.', async () => {
    const { gateway, post } = open(upstream)
    const told = await post('/v1/responses/compact', {
      model,
      input: [
        user([{ type: 'input_text', text: 'Remember the compaction code word: slate.' }]),
        assistant([{ type: 'output_text', text: 'OK.' }]),
        user([{ type: 'input_text', text: 'Compress this conversation for later continuation.' }]),
      ],
    })
    expect(told.status, told.text).toBe(200)
    const [turn] = await onSocket(gateway, [
      {
        store: false,
        input: [...(told.json().output as Json[]), user('Continue from here. Reply with exactly: compacted')],
        tools: [],
      },
    ])
    expectCompleted(turn)
  })
})

/** Only an upstream that speaks Responses has phases. */
test.each([{}, { state: 'gateway' }] as const)(
  'response-output-phase-schema: The phases of an answer are kept and fit the contract (%j).',
  async upstream => {
    const said = (id: string, phase: string, text: string): Json => ({
      id,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      phase,
      content: [{ type: 'output_text', text, annotations: [] }],
    })
    const output = [
      said('msg_phase_commentary', 'commentary', 'I am checking the answer.'),
      said('msg_phase_final', 'final_answer', 'The answer is four.'),
    ]
    const template = (
      await openHarness('chat', [says('')]).post('/v1/responses', { model, input: 'hi' })
    ).json()
    const { post } = openHarness('responses', [{ body: { ...template, output } }], { upstream })
    const response = (await post('/v1/responses', { model, input: 'hi' })).json()
    expect(checkResponse(response)).toEqual([])
    expect((response.output as Json[]).map(({ phase }) => phase)).toEqual(['commentary', 'final_answer'])
  },
)
