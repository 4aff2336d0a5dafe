/** Answers: terminal states, usage and errors by the tables, and the complete answer other wires' turns become. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Answer, FinishReason } from '../../../model/answer.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { responsesConversation } from '../conversation.ts'

function decode(body: JsonObject): Answer {
  return responsesConversation.decodeAnswer(body, createReport().report)
}

function encode(answer: Partial<Answer>, request?: JsonObject): { value: JsonObject; codes: string[] } {
  const { report, diagnostics } = createReport()
  let count = 0
  const context = {
    newId: (prefix: string) => `${prefix}${++count}`,
    now: () => 1000,
    ...(request && { request }),
  }
  const whole: Answer = { turns: [], finish: { reason: 'stop' }, ...answer }
  const value = responsesConversation.encodeAnswer(whole, context, report)
  return { value, codes: diagnostics.map(({ code }) => code) }
}

const path = ['choices', 0, 'message']
const text: Part = { kind: 'text', text: 'hi', path }
const call: Part = { kind: 'call', form: 'function', id: 'call_1', name: 'w', input: '{"a', path }
const turn = (...parts: Part[]): Turn => ({ role: 'assistant', parts, root: path })

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] }
const functionCall = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'w', arguments: '{}' }
const refused = { ...message, content: [{ type: 'refusal', refusal: 'no' }] }

describe('how an answer ended', () => {
  test.each<[JsonObject, FinishReason, string | undefined]>([
    [{ status: 'completed', output: [message] }, 'stop', 'completed'],
    [{ status: 'completed', output: [message, functionCall] }, 'calls', 'completed'],
    [{ status: 'completed', output: [refused] }, 'refusal', 'completed'],
    [{ status: 'completed', output: [refused, functionCall] }, 'calls', 'completed'],
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [functionCall] },
      'length',
      'max_output_tokens',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_tokens' }, output: [] },
      'length',
      'max_tokens',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
      'filter',
      'content_filter',
    ],
    [{ status: 'incomplete', incomplete_details: null, output: [] }, 'length', 'incomplete'],
    [{ status: 'failed', error: { code: 'server_error', message: 'x' }, output: [] }, 'failed', 'failed'],
    [{ status: 'cancelled', output: [] }, 'cancelled', 'cancelled'],
    [{ status: 'queued', output: [] }, 'unfinished', 'queued'],
    [{ output: [functionCall] }, 'calls', undefined],
    [{ output: [message] }, 'stop', undefined],
    [{ output: [] }, 'unfinished', undefined],
    [{ detail: 'Not Found' }, 'unfinished', undefined],
    [{ error: { message: 'x' } }, 'failed', undefined],
  ])('The answer %j of Responses ended by %s.', (body, reason, raw) => {
    expect(decode(body).finish).toEqual(raw === undefined ? { reason } : { reason, raw })
  })

  test.each<[FinishReason, string, JsonObject | null]>([
    ['stop', 'completed', null],
    ['calls', 'completed', null],
    ['refusal', 'incomplete', { reason: 'content_filter' }],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['filter', 'incomplete', { reason: 'content_filter' }],
    ['pause', 'incomplete', { reason: 'max_output_tokens' }],
    ['unfinished', 'incomplete', { reason: 'max_output_tokens' }],
    ['cancelled', 'cancelled', null],
    ['failed', 'failed', null],
  ])('An answer that ended by "%s" has the status "%s" on Responses.', (reason, status, details) => {
    expect(encode({ finish: { reason } }).value).toMatchObject({ status, incomplete_details: details })
  })

  test('An answer of Responses keeps its status until its reason is changed.', () => {
    const body = {
      id: 'resp_1',
      status: 'incomplete',
      incomplete_details: { reason: 'steered' },
      output: [message],
    }
    const answer = decode(body)
    expect(encode(answer).value).toStrictEqual(body)
    expect(encode({ ...answer, finish: { reason: 'stop' } }).value).toMatchObject({
      status: 'completed',
      incomplete_details: null,
    })
  })

  test('A stop sequence has no place on Responses and is reported.', () => {
    expect(encode({ finish: { reason: 'stop', stopSequence: 'END' } }).codes).toEqual(['field_dropped'])
  })
})

describe('the complete answer', () => {
  const keys = [
    'background completed_at created_at error frequency_penalty id incomplete_details instructions',
    'max_output_tokens max_tool_calls metadata model object output parallel_tool_calls presence_penalty',
    'previous_response_id prompt_cache_key reasoning safety_identifier service_tier status store',
    'temperature text tool_choice tools top_logprobs top_p truncation usage',
  ]
    .join(' ')
    .split(' ')

  test('A new answer of Responses has all 31 keys, with defaults for those that were not asked for. [field C09]', () => {
    const { value } = encode({ turns: [turn(text)], model: 'm' })
    expect(Object.keys(value).sort()).toEqual(keys)
    expect(keys).toHaveLength(31)
    expect(value).toMatchObject({
      id: 'resp_1',
      object: 'response',
      created_at: 1000,
      completed_at: 1000,
      error: null,
      reasoning: null,
      usage: null,
      temperature: 1,
      top_p: 1,
      service_tier: 'default',
      store: true,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      truncation: 'disabled',
    })
  })

  test('A new answer of Responses repeats what the client asked for.', () => {
    const request = {
      model: 'asked',
      instructions: 'be kind',
      temperature: null,
      top_p: 0.5,
      reasoning: { effort: 'low' },
      text: {},
      service_tier: 'auto',
      store: false,
      user: 'u',
      tools: [
        { type: 'function', name: 'f' },
        { type: 'function', function: { name: 'g', parameters: {} } },
        { type: 'web_search' },
      ],
    }
    expect(encode({}, request).value).toMatchObject({
      model: 'asked',
      instructions: 'be kind',
      temperature: 1,
      top_p: 0.5,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' } },
      service_tier: 'default',
      store: false,
      user: 'u',
      tools: [
        { type: 'function', name: 'f', description: null, parameters: null, strict: false },
        { type: 'function', name: 'g', description: null, parameters: {}, strict: false },
        { type: 'web_search' },
      ],
    })
  })

  test('Calls are written on Responses as items with an id of their own beside the call id. [field C01]', () => {
    const custom: Part = { kind: 'call', form: 'custom', name: 'c', input: 'raw', path }
    const thought: Part = { kind: 'reasoning', summary: [], text: ['hm'], path }
    const whole: Part = { ...call, input: '{}' }
    const { value } = encode({ turns: [turn(thought, text, whole, custom)], finish: { reason: 'calls' } })
    expect(value.output).toStrictEqual([
      { type: 'reasoning', id: 'rs_2', status: 'completed', summary: [{ type: 'summary_text', text: 'hm' }] },
      {
        type: 'message',
        id: 'msg_3',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
      {
        type: 'function_call',
        id: 'fc_4',
        status: 'completed',
        call_id: 'call_1',
        name: 'w',
        arguments: '{}',
      },
      {
        type: 'custom_tool_call',
        id: 'ctc_5',
        status: 'completed',
        call_id: 'call_6',
        name: 'c',
        input: 'raw',
      },
    ])
  })

  test('A call with half of its arguments is incomplete on Responses, however the answer ended.', () => {
    const { value } = encode({ turns: [turn(call)], finish: { reason: 'calls' } })
    expect(value).toMatchObject({ status: 'completed', output: [{ status: 'incomplete', arguments: '{"a' }] })
  })

  test('A call that was cut off is incomplete on Responses, and so is the answer. [field C05]', () => {
    const { value } = encode({ turns: [turn(text, call)], finish: { reason: 'length' } })
    expect(value).toMatchObject({
      status: 'incomplete',
      completed_at: null,
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }],
    })
  })

  test('A citation without positions covers its whole text on Responses.', () => {
    const cited: Part = { ...text, kind: 'text', text: 'hello', citations: [{ url: 'https://x.test', path }] }
    expect(encode({ turns: [turn(cited)] }).value.output).toMatchObject([
      {
        content: [
          { annotations: [{ type: 'url_citation', url: 'https://x.test', start_index: 0, end_index: 5 }] },
        ],
      },
    ])
  })
})

describe('usage', () => {
  test('Usage of Responses is read with its details.', () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 15,
    }
    const { residue: _, ...read } = decode({ output: [], usage }).usage ?? { input: 0, output: 0 }
    expect(read).toEqual({ input: 10, output: 5, cacheRead: 4, cacheWrite: 2, reasoning: 3 })
  })

  test('Usage of Responses is always written with its details. [field C11]', () => {
    expect(encode({ usage: { input: 10, output: 5, reasoning: 2 } }).value.usage).toStrictEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 15,
    })
  })
})

describe('errors', () => {
  test.each([
    [{ message: 'x', type: 'invalid_request_error', code: 'invalid_api_key' }, 'authentication'],
    [{ message: 'x', type: 'invalid_request_error', param: 'input', code: null }, 'invalid_request'],
    [{ message: 'x', type: 'insufficient_quota' }, 'billing'],
    [{ message: 'x', type: 'too_many_requests' }, 'rate_limit'],
    [{ message: 'x', code: 'rate_limit_exceeded' }, 'rate_limit'],
    [{ message: 'x', type: 'service_unavailable_error' }, 'overloaded'],
    [{ message: 'x', code: 'image_parse_error' }, 'invalid_request'],
    [{ message: 'x', type: 'whatever' }, 'server'],
    ['x', 'server'],
  ])('The error %j of Responses is of the kind %s.', (error, kind) => {
    expect(decode({ error })).toMatchObject({
      turns: [],
      finish: { reason: 'failed' },
      error: { kind, message: 'x' },
    })
  })

  test('A failed request is written on Responses as an error body that is read again.', () => {
    const finish = { reason: 'failed' } as const
    const error = { kind: 'overloaded', message: 'busy', param: 'input' } as const
    const { value } = encode({ finish, error })
    expect(value).toStrictEqual({
      error: { message: 'busy', type: 'service_unavailable_error', param: 'input', code: null },
    })
    expect(decode(value).error).toEqual(error)
  })

  test('An answer that failed half-way is written on Responses as an answer, with what it had so far.', () => {
    const { value } = encode({
      id: 'resp_9',
      turns: [turn(text)],
      finish: { reason: 'failed' },
      error: { kind: 'rate_limit', message: 'slow down' },
    })
    expect(value).toMatchObject({
      id: 'resp_9',
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'slow down' },
      output: [{ type: 'message' }],
    })
  })
})

test('Fields of an answer that only Responses has are residue, except those that repeat the request.', () => {
  const body = {
    id: 'resp_1',
    status: 'completed',
    output: [],
    instructions: 'x',
    store: true,
    billing: { payer: 'a' },
  }
  expect(decode(body).residue?.entries).toEqual([[['billing'], { payer: 'a' }]])
})
