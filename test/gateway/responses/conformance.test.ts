/** Answers of every kind, over every upstream wire, whole and streamed, before the judge of the Open Responses contract. */
import type { ScriptedTurn } from '@toolwire/core/testing'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { checkResponse, responseKeys } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const tools = [
  { type: 'function', name: 'f', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { type: 'function', name: 'g' },
]
const usage = { input: 30, output: 12, cacheRead: 20, reasoning: 5 }
const call = { name: 'f', arguments: { a: 1 } }

interface Story {
  readonly turn: ScriptedTurn
  readonly status: 'completed' | 'incomplete'
  /** The types of the items. */
  readonly output: readonly string[]
  /** Left out where a wire cannot say such a thing. */
  readonly not?: readonly string[]
}

const stories: Readonly<Record<string, Story>> = {
  text: { turn: says('Hello, world. \u{1f30d}'), status: 'completed', output: ['message'] },
  'an answer that says nothing': {
    turn: { text: '' },
    status: 'completed',
    output: [],
    // An empty message of an upstream that speaks Responses itself stays one.
    not: ['responses'],
  },
  'one call': { turn: calls(call), status: 'completed', output: ['function_call'] },
  'parallel calls': {
    turn: calls(call, { name: 'g', arguments: {} }, { ...call, arguments: { a: 2 } }),
    status: 'completed',
    output: ['function_call', 'function_call', 'function_call'],
  },
  'a call without arguments': {
    turn: calls({ name: 'g', arguments: '' }),
    status: 'completed',
    output: ['function_call'],
  },
  'reasoning, text and a call': {
    turn: { reasoning: 'Let me see.', text: 'One moment.', calls: [call], usage },
    status: 'completed',
    output: ['reasoning', 'message', 'function_call'],
  },
  'sealed reasoning': {
    turn: says('So.', { reasoning: { text: 'Hidden.', seal: 'c2VhbGVk' } }),
    status: 'completed',
    output: ['reasoning', 'message'],
  },
  'a refusal': {
    turn: { refusal: 'I will not.' },
    status: 'completed',
    output: ['message'],
    // Messages has no words for a refusal but text, and its reason to stop says that the answer was cut off.
    not: ['messages'],
  },
  'text cut off by the limit': {
    turn: says('Once upon a', { finish: 'length', usage }),
    status: 'incomplete',
    output: ['message'],
  },
  'a call cut off by the limit': {
    turn: { text: 'Calling.', calls: [call, { name: 'f', arguments: '{"a":' }], finish: 'length' },
    status: 'incomplete',
    output: ['message', 'function_call', 'function_call'],
  },
  'reasoning cut off by the limit': {
    turn: { reasoning: 'I think that', finish: 'length' },
    status: 'incomplete',
    output: ['reasoning'],
  },
  'text cut off by a filter': {
    turn: says('How to', { finish: 'filter' }),
    status: 'incomplete',
    output: ['message'],
  },
}

const upstreams = ['chat', 'messages', 'responses'] as const

const cases = Object.entries(stories).flatMap(([name, story]) =>
  upstreams.filter(wire => !story.not?.includes(wire)).map(wire => ({ name, wire, ...story })),
)

const ask = { model: 'm', input: 'Say it.', tools }

const openFor = ({ wire, turn }: { wire: (typeof upstreams)[number]; turn: ScriptedTurn }): Harness =>
  openHarness(wire, [turn], { upstream: { state: 'gateway' }, pieces: { text: 3, interleave: true } })

const typesOf = (response: Json): unknown[] => (response.output as Json[]).map(({ type }) => type)

describe('a whole answer fits the contract', () => {
  test.each(cases)('The answer "$name" of $wire fits the contract.', async story => {
    const told = await openFor(story).post('/v1/responses', ask)
    expect([told.status, told.headers['content-type']]).toEqual([200, 'application/json'])
    const response = told.json()
    expect(checkResponse(response)).toEqual([])
    expect([response.status, typesOf(response)]).toEqual([story.status, story.output])
  })
})

describe('a streamed answer fits the contract', () => {
  test.each(cases)('The stream of the answer "$name" of $wire fits the contract.', async story => {
    const told = await openFor(story).post('/v1/responses', { ...ask, stream: true })
    expect(told.status).toBe(200)
    expect(told.headers['content-type']).toMatch(/^text\/event-stream\b/)
    expect(checkStream(told.writes)).toEqual([])
    const last = eventsOf(told.text).at(-1) as { type: string; response: Json }
    expect(last.type).toBe(`response.${story.status}`)
    expect(typesOf(last.response)).toEqual(story.output)
  })

  test.each(upstreams)('A streamed answer fits the contract however the bytes of %s are cut.', async wire => {
    const turn = stories['reasoning, text and a call']?.turn ?? {}
    const setting = openHarness(wire, [turn], {
      upstream: { state: 'gateway' },
      pieces: { text: 1, bytes: 1 },
    })
    const told = await setting.post('/v1/responses', { ...ask, stream: true })
    expect(checkStream(told.writes)).toEqual([])
    expect(told.writes.length).toBeGreaterThan(20)
  })
})

/** Ids and times are made anew for each answer. */
const comparable = (response: Json): unknown =>
  JSON.parse(
    JSON.stringify(response, (key, value: unknown) =>
      ['id', 'created_at', 'completed_at'].includes(key) ? key : value,
    ),
  )

/** Half an object fits into a stream of Messages, but not into its whole answer. */
const sameInBoth = cases.filter(({ name, wire }) => wire !== 'messages' || !name.startsWith('a call cut off'))

describe('stream and whole give the same response', () => {
  test.each(sameInBoth)('The answer "$name" of $wire is the same with and without a stream.', async story => {
    const whole = await openFor(story).post('/v1/responses', ask)
    const streamed = await openFor(story).post('/v1/responses', { ...ask, stream: true })
    const last = eventsOf(streamed.text).at(-1) as { response: Json }
    expect(comparable(last.response)).toEqual(comparable(whole.json()))
  })
})

test('A response has all 31 keys, with the defaults of the API where the request is silent.', async () => {
  const { post } = openHarness('chat', [says('Hi.')])
  const response = (await post('/v1/responses', { model: 'm', input: 'hi' })).json()
  expect(responseKeys).toHaveLength(31)
  expect(Object.keys(response)).toEqual(expect.arrayContaining([...responseKeys]))
  expect(response).toMatchObject({
    object: 'response',
    model: 'm',
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    truncation: 'disabled',
    store: true,
    background: false,
    service_tier: 'default',
    tool_choice: 'auto',
    parallel_tool_calls: true,
    text: { format: { type: 'text' } },
    tools: [],
    metadata: {},
    reasoning: null,
    instructions: null,
    previous_response_id: null,
    error: null,
    incomplete_details: null,
  })
})

test('A response repeats the settings of its request.', async () => {
  const asked = {
    instructions: 'Be brief.',
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 100,
    max_tool_calls: 3,
    parallel_tool_calls: false,
    metadata: { trip: '7' },
    prompt_cache_key: 'k',
    safety_identifier: 's',
    text: { format: { type: 'json_object' }, verbosity: 'low' },
    truncation: 'auto',
    store: false,
    tool_choice: { type: 'function', name: 'f' },
    service_tier: 'flex',
  }
  const { post } = openHarness('chat', [calls(call)], { losses: 'allow' })
  const response = (await post('/v1/responses', { ...ask, ...asked })).json()
  expect(response).toMatchObject(asked)
  expect(checkResponse(response)).toEqual([])
})

test.each([
  [{ effort: 'low' }, { effort: 'low', summary: null }],
  [{ summary: 'auto' }, { effort: null, summary: 'auto' }],
  [{}, null],
])('A response repeats the reasoning %j as %j: both keys or null.', async (reasoning, repeated) => {
  const { post } = openHarness('chat', [says('Hi.')], { losses: 'allow' })
  const response = (await post('/v1/responses', { model: 'm', input: 'hi', reasoning })).json()
  expect(response.reasoning).toEqual(repeated)
})

test.each([
  ['as this wire writes it', { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true }],
  ['with no word but its name', { type: 'function', name: 'f' }],
  ['with null for what is not there', { type: 'function', name: 'f', description: null, strict: null }],
  ['nested, as Chat writes it', { type: 'function', function: { name: 'f', description: 'x' } }],
])('A response repeats a function given %s with all five keys.', async (_, tool) => {
  const { post } = openHarness('chat', [says('Hi.')], { losses: 'allow' })
  const response = (await post('/v1/responses', { ...ask, tools: [tool] })).json()
  expect(checkResponse(response)).toEqual([])
  const [repeated] = response.tools as Json[]
  expect(Object.keys(repeated ?? {}).sort()).toEqual(['description', 'name', 'parameters', 'strict', 'type'])
  const { function: nested, ...flat } = tool as Json
  // What the request left to the server is what became of it.
  const { strict, ...stated } = { ...flat, ...(nested as Json | undefined) }
  expect(repeated).toMatchObject({ ...stated, strict: strict === true })
})

describe('usage', () => {
  test.each(upstreams)('Usage comes from %s with all its details, streamed or not.', async wire => {
    const turn = says('Hi.', { usage })
    const whole = await openFor({ wire, turn }).post('/v1/responses', ask)
    const streamed = await openFor({ wire, turn }).post('/v1/responses', { ...ask, stream: true })
    const last = eventsOf(streamed.text).at(-1) as { response: Json }
    for (const response of [whole.json(), last.response]) {
      expect(response.usage).toMatchObject({
        input_tokens: 30,
        output_tokens: 12,
        total_tokens: 42,
        input_tokens_details: { cached_tokens: 20 },
        output_tokens_details: { reasoning_tokens: 5 },
      })
    }
  })

  test('Usage is requested when Chat streams.', async () => {
    const { post, model } = openHarness('chat', [says('Hi.')])
    await post('/v1/responses', { ...ask, stream: true })
    expect(model.requests[0]?.body.stream_options).toMatchObject({ include_usage: true })
  })

  test.each([false, true])(
    'Usage is null, not missing, when the upstream reports none (stream: %s).',
    async stream => {
      const body = {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
      }
      const told = await openHarness('chat', [{ body }]).post('/v1/responses', { ...ask, stream })
      const response = stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
      expect(response.usage).toBeNull()
    },
  )
})
