import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { messagesConversation } from '../conversation.ts'

function decode(body: JsonObject) {
  const { report, diagnostics } = createReport()
  return { answer: messagesConversation.decodeAnswer(body, report), diagnostics }
}

function encode(answer: Answer, request?: JsonObject) {
  const { report, diagnostics } = createReport()
  const context = { newId: (prefix: string) => `${prefix}new`, now: () => 0, ...(request && { request }) }
  return { body: messagesConversation.encodeAnswer(answer, context, report), diagnostics }
}

const call = { type: 'tool_use', id: 'toolu_1', name: 'w', input: { a: 1 } }

describe('reading', () => {
  test.each([
    ['end_turn', [], 'stop'],
    ['stop_sequence', [], 'stop'],
    ['tool_use', [call], 'calls'],
    ['tool_use', [], 'stop'],
    ['max_tokens', [], 'length'],
    ['model_context_window_exceeded', [call], 'length'],
    ['refusal', [], 'refusal'],
    ['pause_turn', [], 'pause'],
    ['of_tomorrow', [], 'unfinished'],
    [null, [], 'unfinished'],
  ])('The stop reason %j of Messages with the content %j means %s.', (stop_reason, content, reason) => {
    expect(decode({ content, stop_reason }).answer.finish.reason).toBe(reason)
  })

  test('An answer of Messages with calls ended by calls, whatever its stop reason. [field C03]', () => {
    expect(decode({ content: [call], stop_reason: 'end_turn' }).answer.finish.reason).toBe('calls')
  })

  test('Only the last call of a cut answer of Messages is incomplete. [field C05]', () => {
    const { answer } = decode({ content: [call, call], stop_reason: 'max_tokens' })
    expect(answer.turns[0]?.parts).toEqual([
      expect.not.objectContaining({ status: 'incomplete' }),
      expect.objectContaining({ status: 'incomplete' }),
    ])
  })

  test('Blocks of Messages are read in order, each with its path. [field C07]', () => {
    const { answer } = decode({
      id: 'msg_1',
      model: 'm',
      content: [{ type: 'text', text: 'a' }, call, { type: 'text', text: 'b' }],
      stop_reason: 'tool_use',
    })
    expect(answer).toMatchObject({
      id: 'msg_1',
      model: 'm',
      turns: [
        {
          role: 'assistant',
          parts: [
            { kind: 'text', text: 'a', path: ['content', 0] },
            { kind: 'call', input: '{"a":1}', path: ['content', 1] },
            { kind: 'text', text: 'b', path: ['content', 2] },
          ],
        },
      ],
    })
  })

  test('Usage of Messages counts all input, cached or not.', () => {
    const { answer } = decode({
      usage: {
        input_tokens: 1,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 100,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 3 },
      },
    })
    expect(answer.usage).toMatchObject({
      input: 111,
      output: 7,
      cacheRead: 100,
      cacheWrite: 10,
      reasoning: 3,
    })
  })

  test('An error body of Messages is a failed answer.', () => {
    const { answer } = decode({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })
    expect(answer).toMatchObject({
      turns: [],
      finish: { reason: 'failed' },
      error: { kind: 'overloaded', message: 'busy' },
    })
  })

  test.each([
    [
      { type: 'insufficient_quota', message: 'x' },
      { kind: 'billing', message: 'x' },
    ],
    [
      { type: 'server_error', message: 'x' },
      { kind: 'server', message: 'x' },
    ],
    [
      { type: 'BadRequestError', message: 'x', code: 400 },
      { kind: 'invalid_request', message: 'x' },
    ],
    [
      { message: 'x', code: 429 },
      { kind: 'rate_limit', message: 'x' },
    ],
    [
      { message: 'x', code: '401' },
      { kind: 'authentication', message: 'x', code: '401' },
    ],
    [
      { type: 'invalid_request_error', message: 'x', code: 'context_length_exceeded' },
      { kind: 'invalid_request', message: 'x', code: 'context_length_exceeded' },
    ],
  ])('The error %j, in the words of OpenAI, keeps its kind and goes back as it was.', (error, expected) => {
    const body = { type: 'error', error }
    const { answer } = decode(body)
    expect(answer.error).toEqual(expected)
    expect(encode(answer).body).toEqual(body)
  })
})

describe('writing for another wire', () => {
  const path = ['choices', 0, 'message']
  const says = (finish: Answer['finish'], ...parts: Part[]): Answer => ({
    id: 'chatcmpl-1',
    model: 'm',
    turns: [{ role: 'assistant', root: path, parts }],
    finish,
  })
  const called: Part = { kind: 'call', form: 'function', id: 'c', name: 'w', input: '{}', path }

  test('An answer from another wire has every key that Messages demands.', () => {
    const { body, diagnostics } = encode({
      ...says({ reason: 'calls' }, { kind: 'text', text: 'hi', path }, called),
      usage: { input: 10, output: 5, cacheRead: 4, reasoning: 2 },
    })
    expect(body).toEqual({
      id: 'msg_chatcmpl-1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 'c', name: 'w', input: {}, caller: { type: 'direct' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: 4,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 2 },
      },
    })
    expect(diagnostics).toEqual([])
  })

  test('An answer from another wire gets on Messages the ids and the model that it lacks.', () => {
    const { id: _, ...idless } = { ...called }
    const { body } = encode(
      { turns: [{ role: 'assistant', root: path, parts: [idless] }], finish: { reason: 'calls' } },
      { model: 'asked' },
    )
    expect(body).toMatchObject({
      id: 'msg_new',
      model: 'asked',
      content: [{ id: 'toolu_new' }],
      usage: { input_tokens: 0, output_tokens: 0 },
    })
  })

  test.each([
    [{ reason: 'stop' }, [], 'end_turn'],
    [{ reason: 'stop', stopSequence: 'x' }, [], 'stop_sequence'],
    [{ reason: 'stop' }, [called], 'tool_use'],
    [{ reason: 'length' }, [called], 'max_tokens'],
    [{ reason: 'filter' }, [], 'refusal'],
    [{ reason: 'refusal' }, [], 'refusal'],
    [{ reason: 'stop' }, [{ kind: 'refusal', text: 'no', path }], 'refusal'],
    [{ reason: 'pause' }, [], 'pause_turn'],
  ] as const)(
    'An answer that ended by %j with %j has the stop reason %j on Messages.',
    (finish, parts, expected) => {
      const { body, diagnostics } = encode(says(finish, ...parts))
      expect(body.stop_reason).toBe(expected)
      expect(diagnostics).toEqual([])
    },
  )

  test.each(['unfinished', 'cancelled'] as const)(
    'An answer that is %s has a stop reason on Messages that no client takes for a proper end.',
    reason => {
      const { body, diagnostics } = encode(says({ reason }))
      expect(body.stop_reason).toBe('max_tokens')
      expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['status'] }])
    },
  )

  test('Reasoning of another wire is written on Messages without a signature, and its seal is reported.', () => {
    const { body, diagnostics } = encode(
      says(
        { reason: 'stop' },
        { kind: 'reasoning', summary: ['a', 'b'], text: [], seal: { wire: 'responses', value: 'x' }, path },
      ),
    )
    expect(body.content).toEqual([{ type: 'thinking', thinking: 'a\n\nb', signature: '' }])
    expect(diagnostics).toMatchObject([{ code: 'reasoning_sealed', path }])
  })

  test('Citations are written on Messages with their page, title and quoted words.', () => {
    const { body } = encode(
      says(
        { reason: 'stop' },
        {
          kind: 'text',
          text: 'so it is',
          path,
          citations: [{ url: 'u', title: 't', start: 0, end: 2, path }],
        },
      ),
    )
    expect(body.content).toEqual([
      {
        type: 'text',
        text: 'so it is',
        citations: [
          { type: 'web_search_result_location', url: 'u', title: 't', cited_text: 'so', encrypted_index: '' },
        ],
      },
    ])
  })

  test('An error is written in the shape of Messages.', () => {
    const { body, diagnostics } = encode({
      turns: [],
      finish: { reason: 'failed' },
      error: { kind: 'rate_limit', message: 'slow down', code: 'rate_limit_exceeded', param: 'model' },
    })
    expect(body).toEqual({
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: 'slow down',
        details: { error_code: 'rate_limit_exceeded' },
      },
      request_id: null,
    })
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['error', 'param'] }])
  })

  test('An answer that failed half-way is an error on Messages, and its parts are reported.', () => {
    const { body, diagnostics } = encode({
      ...says({ reason: 'failed' }, { kind: 'text', text: 'half', path }),
      error: { kind: 'server', message: 'broke' },
    })
    expect(body).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path }])
  })
})
