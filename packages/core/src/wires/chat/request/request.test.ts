import { describe, expect, test } from 'vitest'
import { decode, encode, roundTrip } from '../../../../../../test/support/fixtures/chat-round-trip.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { toolErrorMark } from '../../kit/tool-error-mark.ts'

/** A request from elsewhere: no residue, so nothing says it was Chat's. */
const foreign = (...turns: readonly Omit<Turn, 'root'>[]): Request => ({
  turns: turns.map((turn, i) => ({ root: ['input', i], ...turn })),
  tools: {},
  settings: {},
})

const partsOf = (message: unknown): readonly Part[] =>
  decode({ messages: [message] }).request.turns[0]?.parts ?? []

describe('reading', () => {
  test('A message of Chat is one turn, with its reasoning, text, refusal and calls in this order.', () => {
    const { request: read } = decode({
      messages: [
        {
          role: 'assistant',
          content: 'a',
          refusal: 'no',
          reasoning: 'hm',
          tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
      ],
    })
    expect(read.turns.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)])).toEqual([
      ['assistant', 'reasoning', 'text', 'refusal', 'call'],
      ['tool', 'result'],
    ])
    expect(read.turns[0]?.parts[3]).toMatchObject({ path: ['messages', 0, 'tool_calls', 0], input: 'x' })
    expect(read.turns[1]?.parts[0]).toMatchObject({ form: 'custom', callId: 'c', plain: true })
  })

  test.each([
    { functions: [] },
    { functions: [], tools: [] },
    { functions: [], tools: [{ type: 'function', function: { name: 'f' } }] },
    { functions: [{ name: 'f' }], tools: [] },
  ])('Empty lists beside the deprecated functions of Chat come out as they were: %j.', lists => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'a' }], ...lists }
    expect(roundTrip(body).body).toEqual(body)
  })

  test('An empty list of the deprecated functions of Chat declares nothing.', () => {
    const { request, diagnostics } = decode({ messages: [], functions: [] })
    expect([request.tools.tools, diagnostics]).toEqual([undefined, []])
  })

  test('An empty content beside calls of Chat is not read as a text. [field A27]', () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }]
    for (const content of [null, ''])
      expect(partsOf({ role: 'assistant', content, tool_calls: calls }).map(({ kind }) => kind)).toEqual([
        'call',
      ])
    expect(partsOf({ role: 'assistant', content: '' })).toMatchObject([{ kind: 'text', text: '' }])
  })

  test('Arguments of Chat are read as text: verbatim, empty if missing, and as JSON if they were an object. [field A35]', () => {
    const inputs = ['{ "a" :1}', '', undefined, null, { a: 1 }].map(given => {
      const fields = { name: 'f', ...(given === undefined ? {} : { arguments: given }) }
      const [part] = partsOf({
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: fields }],
      })
      return part?.kind === 'call' && part.input
    })
    expect(inputs).toEqual(['{ "a" :1}', '', '', '', '{"a":1}'])
  })

  test('Results of Chat that are not text are read as JSON, and lists of strings as texts. [field A19]', () => {
    const content = (given: unknown): unknown => {
      const [part] = partsOf({ role: 'tool', tool_call_id: 'c', content: given })
      return part?.kind === 'result' && part.content.map(inner => inner.kind === 'text' && inner.text)
    }
    expect([{ a: 1 }, 7, ['a', 'b']].map(content)).toEqual([['{"a":1}'], ['7'], ['a', 'b']])
  })

  test('A result with the deprecated role of Chat keeps the name that pairs it with its call. [field A31]', () => {
    expect(partsOf({ role: 'function', name: 'f', content: 'r' })).toMatchObject([
      { kind: 'result', name: 'f' },
    ])
  })

  test('A result of Chat that begins with the error mark is an error, and the mark is written back. [field C13]', () => {
    const body = { messages: [{ role: 'tool', tool_call_id: 'c', content: `${toolErrorMark}42` }] }
    const { request: read } = decode(body)
    expect(read.turns[0]?.parts).toMatchObject([{ isError: true, content: [{ text: '42' }] }])
    expect(encode(read).body).toEqual(body)
  })

  test("Blocks of Messages in a request of Chat are read, reported, and written in Chat's own shape. [field F07]", () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }
    const result = roundTrip({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'a' },
            { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'b' },
            { type: 'tool_result', tool_use_id: 'c', is_error: true, content: [{ type: 'text', text: 'r' }] },
            { type: 'image', source },
          ],
        },
      ],
    })
    expect(result.body.messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }],
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: `${toolErrorMark}r` },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'b' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
    ])
    expect(result.diagnostics.map(({ code, path }) => [code, path.join('.')])).toEqual([
      ['mixed_shape', 'messages.0.content.1.type'],
      ['mixed_shape', 'messages.1.content.1.type'],
      ['mixed_shape', 'messages.1.content.2.type'],
    ])
    expect(roundTrip(result.body)).toEqual({ body: result.body, diagnostics: [] })
  })

  test('The original form of arguments is not restored on Chat after an adaptation has changed them.', () => {
    const odd = { id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } }
    const { request } = decode({ messages: [{ role: 'assistant', tool_calls: [odd] }] })
    const turns = request.turns.map(turn => ({
      ...turn,
      parts: turn.parts.map(part => (part.kind === 'call' ? { ...part, input: '{"a":2}' } : part)),
    }))
    expect(encode({ ...request, turns }).body.messages).toMatchObject([
      { tool_calls: [{ function: { arguments: '{"a":2}' } }] },
    ])
  })

  test('Every setting of Chat records the path it was read from.', () => {
    const { request: read } = decode({
      messages: [],
      max_tokens: 9,
      stop: 'x',
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: null, schema: {} } },
    })
    expect(read.settings).toEqual({
      maxOutputTokens: { value: 9, path: ['max_tokens'], older: true },
      stop: { value: ['x'], path: ['stop'] },
      includeUsage: { value: true, path: ['stream_options', 'include_usage'] },
      format: { value: { type: 'json_schema', name: 'n', schema: {} }, path: ['response_format'] },
    })
  })

  test.each([
    ['another role', { role: 'bot', content: 'x' }],
    ['no object', 'hello'],
    ['null', null],
  ])('A message of Chat with %s is passed on verbatim and reported.', (_, odd) => {
    const result = roundTrip({ messages: [odd] })
    expect(result.body).toStrictEqual({ messages: [odd] })
    expect(result.diagnostics).toMatchObject([{ code: 'unknown_type', path: ['messages', 0] }])
  })
})

describe('writing what came from elsewhere', () => {
  const path = ['input', 0]

  test('Calls from another wire are written as one message of Chat with null content, with their ids and arguments. [field A01]', () => {
    const calls = ['a', 'b'].map(
      id => ({ kind: 'call', form: 'function', id, name: 'w', input: '{', path }) as const,
    )
    const { body, diagnostics } = encode(foreign({ role: 'assistant', parts: calls }))
    expect(body.messages).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map(id => ({ id, type: 'function', function: { name: 'w', arguments: '{' } })),
      },
    ])
    expect(diagnostics).toEqual([])
  })

  test('Results are written on Chat before the text of the same turn. [field F01]', () => {
    const said = (value: string): Part => ({ kind: 'text', text: value, path })
    const result = (callId: string): Part => ({ kind: 'result', form: 'function', callId, content: [], path })
    const { body } = encode(foreign({ role: 'user', parts: [result('a'), said('x'), result('b')] }))
    expect(body.messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'user', content: 'x' },
    ])
  })

  test('Reasoning is written on Chat as one text, without its seal. [field A03]', () => {
    const { body, diagnostics } = encode(
      foreign({
        role: 'assistant',
        parts: [
          { kind: 'reasoning', summary: [], text: ['a', 'b'], path },
          { kind: 'reasoning', summary: ['c'], text: [], seal: { wire: 'responses', value: 'SECRET' }, path },
          { kind: 'text', text: 't', path },
        ],
      }),
    )
    expect(body.messages).toEqual([{ role: 'assistant', content: 't', reasoning_content: 'a\n\nb\n\nc' }])
    expect(JSON.stringify(body)).not.toContain('SECRET')
    expect(diagnostics.map(({ code }) => code)).toEqual(['reasoning_sealed'])
  })

  test('Instructions are the first messages on Chat, and the output limit has its current name.', () => {
    const request = foreign(
      { role: 'user', parts: [{ kind: 'text', text: 'u', path }] },
      { role: 'system', instructions: true, plain: true, parts: [{ kind: 'text', text: 's', path }] },
    )
    const limit = { maxOutputTokens: { value: 5, path: ['max_tokens'] } }
    expect(encode({ ...request, settings: limit }).body).toEqual({
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ],
      max_completion_tokens: 5,
    })
  })

  test('Parts and fields that Chat has no place for are reported with their paths.', () => {
    const parts: Part[] = [
      { kind: 'image', source: { type: 'file', id: 'f' }, path: ['input', 1] },
      { kind: 'file', source: { type: 'url', url: 'u' }, path: ['input', 2] },
      { kind: 'hosted', wire: 'responses', type: 'web_search_call', value: {}, path: ['input', 3] },
      { kind: 'opaque', wire: 'messages', value: {}, path: ['input', 4] },
      {
        kind: 'call',
        form: 'function',
        name: 'f',
        namespace: 'n',
        input: '',
        status: 'incomplete',
        path: ['input', 5],
      },
      {
        kind: 'text',
        text: 't',
        citations: [{ url: 'u', path: ['input', 6, 'a', 0] }],
        logprobs: [1],
        path: ['input', 6],
      },
    ]
    const { body, diagnostics } = encode(foreign({ role: 'assistant', parts }))
    expect(body.messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 't' }],
        tool_calls: [{ type: 'function', function: { name: 'f', arguments: '' } }],
      },
    ])
    expect(diagnostics.map(({ code, path: at }) => `${code} ${at.slice(1).join('.')}`).sort()).toEqual([
      'field_dropped 5.namespace',
      'field_dropped 5.status',
      'field_dropped 6.a.0',
      'field_dropped 6.logprobs',
      'part_dropped 1',
      'part_dropped 2',
      'part_dropped 3',
      'part_dropped 4',
    ])
  })

  test('Residue of another wire is reported on Chat and not written.', () => {
    const residue = {
      wire: 'messages',
      at: ['input', 0],
      entries: [[['cache_control'], { type: 'ephemeral' }]],
    } as const
    const { body, diagnostics } = encode(
      foreign({ role: 'user', parts: [{ kind: 'text', text: 't', path, residue }], residue }),
    )
    expect(body.messages).toEqual([{ role: 'user', content: 't' }])
    expect(diagnostics.map(({ code, path: at }) => [code, at])).toEqual([
      ['hint_dropped', ['input', 0, 'cache_control']],
      ['hint_dropped', ['input', 0, 'cache_control']],
    ])
  })

  test('A document that is plain text is written on Chat as a text part.', () => {
    const source = { type: 'text', mediaType: 'text/plain', text: 'words' } as const
    expect(encode(foreign({ role: 'user', parts: [{ kind: 'file', source, path }] })).body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'words' }] },
    ])
  })
})
