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

describe('reading', () => {
  test.each<[string, unknown, JsonObject, FinishReason]>([
    ['stop', 'stop', { content: 'a' }, 'stop'],
    ['"stop" with calls [field C03]', 'stop', { tool_calls: [call] }, 'calls'],
    ['tool_calls', 'tool_calls', { tool_calls: [call] }, 'calls'],
    ['tool_calls without any', 'tool_calls', { content: 'a' }, 'stop'],
    ['function_call', 'function_call', { function_call: { name: 'f', arguments: '' } }, 'calls'],
    ['length', 'length', { content: 'a' }, 'length'],
    ['length with calls', 'length', { tool_calls: [call] }, 'length'],
    ['content_filter', 'content_filter', { tool_calls: [call] }, 'filter'],
    ['a refusal', 'stop', { refusal: 'no' }, 'refusal'],
    ['no word at all', null, { content: 'a' }, 'unfinished'],
  ])('An answer of Chat that ended by %s is read with its reason.', (_, word, said, reason) => {
    expect(decode(completion(said, word)).finish.reason).toBe(reason)
  })

  test('Only the last call of a cut answer of Chat is incomplete. [field C05]', () => {
    const { turns } = decode(completion({ tool_calls: [call, call] }, 'length'))
    expect(turns[0]?.parts.map(part => (part as CallPart).status)).toEqual([undefined, 'incomplete'])
  })

  test('Usage of Chat counts everything in the totals.', () => {
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

  test('Further choices of Chat are residue with their paths.', () => {
    const { turns, residue } = decode({
      choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }],
    })
    expect(turns).toHaveLength(1)
    expect(residue?.entries).toEqual([[['choices', 1], { message: { content: 'b' } }]])
  })

  test('Citations and token probabilities of Chat belong to the text.', () => {
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
  ])('The error %j of Chat is of the kind %s.', (fields, kind) => {
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

  test('Several turns are written on Chat as one message, with new ids where they are missing.', () => {
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
  ])('An answer that ended by "%s" has the finish reason "%s" on Chat.', (reason, word) => {
    const { body } = encode(foreign([said('a')], reason))
    expect(body.choices).toMatchObject([{ finish_reason: word }])
  })

  test('A refusal is written beside the content on Chat and ends with "stop".', () => {
    expect(encode(foreign([{ kind: 'refusal', text: 'no', path }], 'refusal')).body.choices).toMatchObject([
      { message: { content: null, refusal: 'no' }, finish_reason: 'stop' },
    ])
  })

  test('A failed answer is an error on Chat and never a choice, and its parts are reported. [field E07]', () => {
    const { body, diagnostics } = encode(foreign([said('half')], 'failed'))
    expect(Object.keys(body)).toEqual(['error'])
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path }])
  })

  test('Parts and fields of an answer that Chat has no place for are reported.', () => {
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
