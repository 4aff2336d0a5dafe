import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Answer, ErrorKind, FinishReason } from '../../../model/answer.ts'
import type { CallPart, Part } from '../../../model/conversation.ts'
import type { Diagnostic } from '../../../model/diagnostic.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { chatConversation } from '../conversation.ts'

const context = { newId: (prefix: string) => `${prefix}new`, now: () => 99, request: { model: 'asked' } }

function decode(body: JsonObject): Answer {
  return chatConversation.decodeAnswer(body, createReport().report)
}

function encode(answer: Answer): { body: JsonObject; diagnostics: Diagnostic[] } {
  const { report, diagnostics } = createReport()
  return { body: chatConversation.encodeAnswer(answer, context, report), diagnostics }
}

function roundTrip(body: JsonObject): { body: JsonObject; diagnostics: Diagnostic[] } {
  const { report, diagnostics } = createReport()
  const answer = chatConversation.decodeAnswer(body, report)
  return { body: chatConversation.encodeAnswer(answer, context, report), diagnostics }
}

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{' } }
const completion = (message: JsonObject, finish_reason: unknown = 'stop'): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, refusal: null, ...message }, finish_reason },
  ],
})

const asJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null })
const record = (shape: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(shape, { requiredKeys })

const count = fc.nat()
const logprob = fc.constant({ token: 'a', bytes: [97], logprob: -0.5, top_logprobs: [] })
const message = record(
  {
    role: fc.constant('assistant'),
    content: nullable(fc.string()),
    refusal: nullable(fc.string()),
    annotations: fc.array(
      fc.record({
        type: fc.constant('url_citation'),
        url_citation: fc.record({
          url: fc.string(),
          title: fc.string(),
          start_index: count,
          end_index: count,
        }),
      }),
      { maxLength: 2 },
    ),
    audio: nullable(fc.constant({ id: 'a', data: '', expires_at: 1, transcript: 't' })),
    function_call: nullable(fc.record({ name: fc.string(), arguments: fc.string() })),
    tool_calls: fc.array(
      fc.oneof(
        fc.constant(call),
        fc.record({
          id: fc.string(),
          type: fc.constant('custom'),
          custom: fc.constant({ name: 'n', input: 'i' }),
        }),
      ),
      { maxLength: 3 },
    ),
    reasoning_content: fc.string(),
  },
  ['role', 'content', 'refusal'],
)
const choice = record(
  {
    index: count,
    message,
    logprobs: nullable(
      fc.record({ content: nullable(fc.array(logprob)), refusal: nullable(fc.array(logprob)) }),
    ),
    finish_reason: fc.constantFrom(
      'stop',
      'length',
      'tool_calls',
      'content_filter',
      'function_call',
      'eos',
      null,
    ),
  },
  ['index', 'message', 'finish_reason'],
)
const usage = record(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: nullable(
      record({ cached_tokens: count, cache_write_tokens: count, audio_tokens: count }, []),
    ),
    completion_tokens_details: record({ reasoning_tokens: count, accepted_prediction_tokens: count }, []),
  },
  ['prompt_tokens', 'completion_tokens'],
)
const answer = record(
  {
    id: fc.string(),
    object: fc.constant('chat.completion'),
    created: count,
    model: fc.string(),
    choices: fc.array(choice, { maxLength: 3 }),
    usage: nullable(usage),
    service_tier: nullable(fc.constant('default')),
    system_fingerprint: fc.string(),
  },
  ['choices'],
).map(asJson)
const errorBody = fc
  .oneof(
    fc.record({
      error: record(
        {
          message: fc.string(),
          type: fc.string(),
          param: nullable(fc.string()),
          code: nullable(fc.oneof(fc.string(), count)),
        },
        ['message'],
      ),
    }),
    fc.record({ error: fc.string(), request_id: fc.string() }),
    fc.record({ object: fc.constant('error'), message: fc.string(), type: fc.string(), code: count }),
  )
  .map(asJson)

describe('laws', () => {
  test('identity: an answer or error comes back as it was, and nothing is reported', () => {
    fc.assert(
      fc.property(fc.oneof(answer, errorBody), body => {
        const result = roundTrip(body)
        expect(result.body).toStrictEqual(body)
        expect(result.diagnostics).toEqual([])
      }),
    )
  })

  test('totality: any JSON is read and written without throwing', () => {
    const keys = [
      'choices',
      'message',
      'error',
      'usage',
      'content',
      'tool_calls',
      'code',
      'toString',
      'logprobs',
    ]
    const odd = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 4 }),
      ),
    })).value
    const body = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), odd),
      odd.map(value => ({ choices: [{ message: value, logprobs: value, error: value }], usage: value })),
      odd.map(value => ({ error: { message: 'm', code: value, type: value } })),
    )
    fc.assert(
      fc.property(body, value => {
        const before = JSON.stringify(value)
        roundTrip(value as JsonObject)
        expect(JSON.stringify(value)).toBe(before)
      }),
    )
  })

  test.each([
    ['a message without refusal or role', { choices: [{ message: { content: 'a' } }] }],
    [
      'content in parts',
      {
        choices: [
          { message: { role: 'assistant', content: [{ type: 'text', text: 'a' }, { type: 'thinking' }] } },
        ],
      },
    ],
    [
      'a choice that failed',
      {
        choices: [{ message: { content: 'a' }, error: { message: 'm', code: 502 }, finish_reason: 'error' }],
      },
    ],
    ['no choices', { id: 'x', choices: [] }],
    ['a choice without a message', { choices: [{ text: 'old' }] }],
    ['nothing', {}],
  ])('identity also for %s', (_, body) => {
    expect(roundTrip(body)).toStrictEqual({ body, diagnostics: [] })
  })
})

describe('reading', () => {
  test.each<[string, unknown, JsonObject, FinishReason]>([
    ['stop', 'stop', { content: 'a' }, 'stop'],
    ['[field C03] stop with calls', 'stop', { tool_calls: [call] }, 'calls'],
    ['tool_calls', 'tool_calls', { tool_calls: [call] }, 'calls'],
    ['tool_calls without any', 'tool_calls', { content: 'a' }, 'stop'],
    ['function_call', 'function_call', { function_call: { name: 'f', arguments: '' } }, 'calls'],
    ['length', 'length', { content: 'a' }, 'length'],
    ['length with calls', 'length', { tool_calls: [call] }, 'length'],
    ['content_filter', 'content_filter', { tool_calls: [call] }, 'filter'],
    ['a refusal', 'stop', { refusal: 'no' }, 'refusal'],
    ['no word at all', null, { content: 'a' }, 'unfinished'],
  ])('%s', (_, word, said, reason) => {
    expect(decode(completion(said, word)).finish.reason).toBe(reason)
  })

  test('[field C05] only the last call of a cut answer is incomplete', () => {
    const { turns } = decode(completion({ tool_calls: [call, call] }, 'length'))
    expect(turns[0]?.parts.map(part => (part as CallPart).status)).toEqual([undefined, 'incomplete'])
  })

  test('usage counts everything in the totals', () => {
    const read = decode({
      ...completion({ content: 'a' }),
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 2 },
      },
    }).usage
    expect(read).toMatchObject({ input: 10, output: 5, cacheRead: 4, cacheWrite: 1, reasoning: 3 })
    expect(read?.residue?.entries).toEqual([[['completion_tokens_details', 'audio_tokens'], 2]])
  })

  test('further choices are left over with their place', () => {
    const { turns, residue } = decode({
      choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }],
    })
    expect(turns).toHaveLength(1)
    expect(residue?.entries).toEqual([[['choices', 1], { message: { content: 'b' } }]])
  })

  test('citations and probabilities belong to the text', () => {
    const url_citation = { url: 'u', title: 't', start_index: 0, end_index: 1 }
    const body = completion({ content: 'ab', annotations: [{ type: 'url_citation', url_citation }] }) as {
      choices: [Record<string, unknown>]
    }
    body.choices[0].logprobs = { content: [{ token: 'ab' }], refusal: null }
    expect(decode(body).turns[0]?.parts).toMatchObject([
      {
        kind: 'text',
        text: 'ab',
        logprobs: [{ token: 'ab' }],
        citations: [
          { url: 'u', title: 't', start: 0, end: 1, path: ['choices', 0, 'message', 'annotations', 0] },
        ],
      },
    ])
  })

  test.each<[JsonObject, ErrorKind]>([
    [{ type: 'invalid_request_error', code: 'invalid_api_key' }, 'authentication'],
    [{ type: 'invalid_request_error', code: null }, 'invalid_request'],
    [{ type: 'insufficient_quota', code: 'insufficient_quota' }, 'billing'],
    [{ type: 'tokens', code: 'rate_limit_exceeded' }, 'rate_limit'],
    [{ code: 429 }, 'rate_limit'],
    [{ code: '503' }, 'overloaded'],
    [{ type: 'odd', code: { toString: 1 } }, 'server'],
  ])('the error %j is of kind %s', (fields, kind) => {
    const read = decode({ error: { message: 'm', param: 'p', ...fields } })
    expect(read).toMatchObject({
      turns: [],
      finish: { reason: 'failed' },
      error: { kind, message: 'm', param: 'p' },
    })
  })
})

describe('writing what came from elsewhere', () => {
  const path = ['output', 0]
  const said = (text: string): Part => ({ kind: 'text', text, path })
  const foreign = (parts: readonly Part[], reason: FinishReason, more: Partial<Answer> = {}): Answer => ({
    turns: parts.map((part, i) => ({ role: 'assistant', parts: [part], root: ['output', i] })),
    finish: { reason },
    ...more,
  })

  test('the turns become one message, and what is missing is made', () => {
    const { body, diagnostics } = encode(
      foreign(
        [
          { kind: 'reasoning', summary: ['hm'], text: [], path },
          said('a'),
          { kind: 'call', form: 'function', name: 'f', input: '', path },
          { ...said('b'), kind: 'text', text: 'b', citations: [{ url: 'u', start: 0, end: 1, path }] },
        ],
        'calls',
        { usage: { input: 3, output: 2, cacheRead: 1 } },
      ),
    )
    expect(body).toEqual({
      id: 'chatcmpl-new',
      object: 'chat.completion',
      created: 99,
      model: 'asked',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'ab',
            refusal: null,
            reasoning_content: 'hm',
            tool_calls: [{ id: 'call_new', type: 'function', function: { name: 'f', arguments: '' } }],
            annotations: [{ type: 'url_citation', url_citation: { url: 'u', start_index: 1, end_index: 2 } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1 },
      },
    })
    expect(diagnostics).toEqual([])
  })

  test.each<[FinishReason, string]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['filter', 'content_filter'],
    ['refusal', 'content_filter'],
    ['pause', 'stop'],
    ['cancelled', 'length'],
    ['unfinished', 'length'],
  ])('%s ends with %s', (reason, word) => {
    const { body } = encode(foreign([said('a')], reason))
    expect(body.choices).toMatchObject([{ finish_reason: word }])
  })

  test('a refusal stands beside the content and ends with stop', () => {
    expect(encode(foreign([{ kind: 'refusal', text: 'no', path }], 'refusal')).body.choices).toMatchObject([
      { message: { content: null, refusal: 'no' }, finish_reason: 'stop' },
    ])
  })

  test.each([
    'invalid_request',
    'authentication',
    'billing',
    'permission',
    'not_found',
    'conflict',
    'too_large',
    'rate_limit',
    'timeout',
    'overloaded',
    'server',
  ] as const)('an error of kind %s is written so that it is read again', kind => {
    const { body } = encode(foreign([], 'failed', { error: { kind, message: 'm' } }))
    expect(body).toEqual({ error: { message: 'm', type: expect.any(String), param: null, code: null } })
    expect(decode(body).error?.kind).toBe(kind)
  })

  test('[field E07] a failure is never a choice, and what it had said is reported', () => {
    const { body, diagnostics } = encode(foreign([said('half')], 'failed'))
    expect(Object.keys(body)).toEqual(['error'])
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path }])
  })

  test('what Chat cannot say is reported', () => {
    const { diagnostics } = encode({
      ...foreign([{ kind: 'hosted', wire: 'responses', type: 'web_search_call', value: {}, path }], 'stop'),
      finish: { reason: 'stop', stopSequence: 'END' },
    })
    expect(diagnostics.map(({ code, path: at }) => [code, at.join('.')])).toEqual([
      ['part_dropped', 'output.0'],
      ['field_dropped', 'stop_sequence'],
    ])
  })
})
