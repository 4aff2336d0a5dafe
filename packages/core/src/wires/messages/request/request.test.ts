import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { messagesConversation } from '../conversation.ts'

function decode(body: JsonObject) {
  const { report, diagnostics } = createReport()
  return { request: messagesConversation.decodeRequest(body, report), diagnostics }
}

function encode(request: Request) {
  const { report, diagnostics } = createReport()
  return { body: messagesConversation.encodeRequest(request, report), diagnostics }
}

function roundTrip(body: JsonObject): JsonObject {
  return encode(decode(body).request).body
}

/** A request as another wire's codec makes it: without residue of this one. */
function foreign(turns: readonly Turn[], more: Partial<Request> = {}): Request {
  return { turns, tools: {}, settings: {}, ...more }
}

const path = ['input', 0]
const says = (role: Turn['role'], ...parts: Part[]): Turn => ({ role, parts, root: path })
const text = (words: string): Part => ({ kind: 'text', text: words, path })

describe('reading', () => {
  const blocks = (content: unknown) => decode({ messages: [{ role: 'user', content }] }).request.turns[0]

  test('Every message of Messages is a turn with its path.', () => {
    const { request } = decode({
      system: 'be brief',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'w', input: { city: 'Oslo' } }] },
      ],
    })
    expect(request.turns).toMatchObject([
      {
        role: 'system',
        instructions: true,
        plain: true,
        root: ['system'],
        parts: [{ text: 'be brief', path: ['system'] }],
      },
      {
        role: 'user',
        plain: true,
        root: ['messages', 0],
        parts: [{ text: 'hi', path: ['messages', 0, 'content'] }],
      },
      {
        role: 'assistant',
        parts: [
          { kind: 'call', id: 'a', name: 'w', input: '{"city":"Oslo"}', path: ['messages', 1, 'content', 0] },
        ],
      },
    ])
  })

  test.each([
    [{ a: 1 }, '{"a":1}'],
    ['', ''],
    ['{"a":1}', '{"a":1}'],
    [null, ''],
    [undefined, ''],
    [[1], '[1]'],
  ])('The input %j of a call of Messages is read as %j. [field A35]', (input, expected) => {
    const block = { type: 'tool_use', id: 'a', name: 'w', ...(input === undefined ? {} : { input }) }
    expect(blocks([block])?.parts[0]).toMatchObject({ kind: 'call', input: expected })
  })

  test.each([
    ['words', [{ text: 'words' }]],
    [{ a: 1 }, [{ text: '{"a":1}' }]],
    [42, [{ text: '42' }]],
    [
      ['a', 'b'],
      [{ text: 'a' }, { text: 'b' }],
    ],
    [[], []],
  ])('The content %j of a result of Messages is read. [field A19]', (content, expected) => {
    const turn = blocks([{ type: 'tool_result', tool_use_id: 'a', content, is_error: true }])
    expect(turn?.parts[0]).toMatchObject({ kind: 'result', callId: 'a', isError: true, content: expected })
  })

  test('Images, documents and search results inside a result of Messages are read. [field F09]', () => {
    const turn = blocks([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
          { type: 'document', source: { type: 'url', url: 'https://x/y.pdf' }, title: 'y' },
          {
            type: 'search_result',
            source: 'https://z',
            title: 'z',
            content: [{ type: 'text', text: 'found' }],
          },
        ],
      },
    ])
    expect(turn?.parts[0]).toMatchObject({
      content: [
        { kind: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AA' } },
        { kind: 'file', source: { type: 'url', url: 'https://x/y.pdf' }, filename: 'y' },
        { kind: 'file', source: { type: 'text', text: 'found' }, filename: 'z' },
      ],
    })
  })

  test('Thinking of Messages keeps its seal, and calls that the server ran are hosted parts.', () => {
    const turn = blocks([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'zzz' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'tool_reference', tool_name: 'w' },
    ])
    expect(turn?.parts).toMatchObject([
      { kind: 'reasoning', text: ['hm'], seal: { wire: 'messages', value: 'sig' } },
      { kind: 'reasoning', text: [], seal: { value: 'zzz', redacted: true } },
      { kind: 'hosted', type: 'server_tool_use' },
      { kind: 'hosted', type: 'web_search_tool_result' },
      { kind: 'opaque' },
    ])
  })

  test('Every setting of Messages records the path it was read from.', () => {
    const { request } = decode({
      max_tokens: 5,
      stop_sequences: ['x'],
      output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } },
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
      top_k: 3,
    })
    expect(request.settings).toEqual({
      maxOutputTokens: { value: 5, path: ['max_tokens'] },
      stop: { value: ['x'], path: ['stop_sequences'] },
      effort: { value: 'high', path: ['output_config', 'effort'] },
      format: { value: { type: 'json_schema', schema: {} }, path: ['output_config', 'format'] },
      user: { value: 'u', path: ['metadata', 'user_id'] },
      serviceTier: { value: 'default', path: ['service_tier'] },
    })
    expect(request.residue?.entries).toEqual([[['top_k'], 3]])
  })

  test('Disabled thinking of Messages is read as the effort "none".', () => {
    expect(decode({ thinking: { type: 'disabled' } }).request.settings.effort).toEqual({
      value: 'none',
      path: ['thinking'],
    })
  })

  test('A request of Messages whose messages are not a list is reported.', () => {
    expect(decode({ messages: {} }).diagnostics).toMatchObject([{ code: 'not_a_list', path: ['messages'] }])
  })

  test('Values of Messages that are nested deeper than JSON can be written come back unchanged.', () => {
    let deep: unknown = []
    for (let i = 0; i < 200_000; i++) deep = [deep]
    const block = { type: 'tool_use', id: 'a', name: 'w', input: { deep } }
    const result = { type: 'tool_result', tool_use_id: 'a', content: { deep } }
    const body = roundTrip({ messages: [{ role: 'user', content: [block, result] }] })
    const [message] = body.messages as { content: { input?: unknown; content?: unknown }[] }[]
    expect(message?.content[0]?.input).toBe(block.input)
    expect(message?.content[1]?.content).toBe(result.content)
  })

  test('A result inside a result of Messages is kept verbatim.', () => {
    const inner = { type: 'tool_result', tool_use_id: 'b', content: [] }
    const body = {
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [inner] }] }],
    }
    const { request } = decode(body)
    expect(request.turns[0]?.parts[0]).toMatchObject({
      kind: 'result',
      content: [{ kind: 'opaque', value: inner }],
    })
    expect(roundTrip(body)).toEqual(body)
  })
})

describe('writing for another wire', () => {
  const write = (...turns: Turn[]) => encode(foreign(turns))

  test('Results are written as blocks of the user on Messages, system turns as messages, and instructions in their own field.', () => {
    const { body, diagnostics } = write(
      { ...says('system', text('rules')), instructions: true, plain: true },
      says('user', text('hi')),
      says('assistant', { kind: 'call', form: 'function', id: 'a', name: 'w', input: '{"x":1}', path }),
      says('tool', {
        kind: 'result',
        form: 'function',
        callId: 'a',
        content: [text('ok')],
        plain: true,
        path,
      }),
      { ...says('developer', text('now')), plain: true },
    )
    expect(body).toEqual({
      system: 'rules',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'w', input: { x: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
        { role: 'system', content: 'now' },
      ],
    })
    expect(diagnostics).toEqual([])
  })

  test('Several instructions are written as blocks on Messages.', () => {
    const turn = { ...says('system', text('a')), instructions: true, plain: true }
    expect(write(turn, turn).body.system).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'a' },
    ])
  })

  test.each([
    ['', {}, []],
    [' ', {}, []],
    ['{}', {}, []],
    ['{"__proto__":1}', JSON.parse('{"__proto__":1}'), []],
    ['{"a":', { _raw: '{"a":' }, ['arguments_not_object']],
    ['[1]', { _raw: '[1]' }, ['arguments_not_object']],
  ])('The arguments %j are written as the input %j on Messages. [field A37]', (input, expected, codes) => {
    const { body, diagnostics } = write(
      says('assistant', { kind: 'call', form: 'function', id: 'a', name: 'w', input, path }),
    )
    expect(body.messages).toStrictEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'w', input: expected }] },
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(codes)
  })

  test('A failed result is marked as one on Messages. [field C13]', () => {
    const { body } = write(
      says('user', {
        kind: 'result',
        form: 'function',
        callId: 'a',
        content: [text('boom')],
        isError: true,
        path,
      }),
    )
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'text', text: 'boom' }],
            is_error: true,
          },
        ],
      },
    ])
  })

  test('A blank text is not written as a block on Messages, nor a turn without blocks as a message. [field A27]', () => {
    const { body, diagnostics } = write(
      { ...says('assistant', text('')), plain: true },
      says('assistant', text(''), { kind: 'call', form: 'function', id: 'a', name: 'w', input: '', path }),
      says('user', { kind: 'result', form: 'function', callId: 'a', content: [text('')], plain: true, path }),
    )
    expect(body.messages).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'w', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '' }] },
    ])
    expect(diagnostics).toEqual([])
  })

  test('Parts and fields that Messages has no place for are reported with their paths.', () => {
    const at = (n: number) => ['input', n]
    const { diagnostics } = write(
      says(
        'assistant',
        { kind: 'hosted', wire: 'responses', type: 'mcp_call', value: {}, path: at(1) },
        { kind: 'opaque', wire: 'chat', value: {}, path: at(2) },
        { kind: 'refusal', text: 'no', path: at(3) },
        { kind: 'image', source: { type: 'url', url: 'u' }, detail: 'low', path: at(4) },
        {
          kind: 'call',
          form: 'function',
          name: 'w',
          namespace: 'n',
          input: '',
          status: 'incomplete',
          path: at(5),
        },
        { kind: 'text', text: 'a', logprobs: [1], citations: [{ url: 'u', path: at(7) }], path: at(6) },
        { kind: 'reasoning', summary: [], text: [], seal: { wire: 'responses', value: 's' }, path: at(8) },
        {
          kind: 'result',
          form: 'function',
          name: 'w',
          content: [{ kind: 'opaque', wire: 'chat', value: 1, path: at(10) }],
          path: at(9),
        },
        { ...text('b'), residue: { wire: 'chat', at: at(11), entries: [[['x'], 1]] } },
      ),
    )
    expect(diagnostics.map(({ code, path: where }) => `${code} ${where.join('.')}`)).toEqual([
      'part_dropped input.1',
      'part_dropped input.2',
      'field_dropped input.3',
      'hint_dropped input.4',
      'field_dropped input.5.namespace',
      'field_dropped input.5.status',
      'field_dropped input.6.logprobs',
      'field_dropped input.7',
      'reasoning_sealed input.8',
      'hint_dropped input.9.name',
      'part_dropped input.10',
      'field_dropped input.11.x',
    ])
  })

  test('Every setting is written on Messages, converted, or reported.', () => {
    const at = <T>(value: T, ...where: string[]) => ({ value, path: where })
    const { body, diagnostics } = encode(
      foreign([], {
        model: 'm',
        settings: {
          maxOutputTokens: at(9, 'max_completion_tokens'),
          effort: at('minimal', 'reasoning_effort'),
          format: at({ type: 'json_schema', name: 'n', schema: {}, strict: true }, 'response_format'),
          serviceTier: at('flex', 'service_tier'),
          store: at(false, 'store'),
          includeUsage: at(true, 'stream_options', 'include_usage'),
          logprobs: at(true, 'logprobs'),
          metadata: at({ k: 'v' }, 'metadata'),
          safetyIdentifier: at('u', 'safety_identifier'),
          promptCacheKey: at('k', 'prompt_cache_key'),
        },
      }),
    )
    expect(body).toEqual({
      model: 'm',
      max_tokens: 9,
      output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
      metadata: { user_id: 'u' },
      messages: [],
    })
    expect(diagnostics.map(({ code, path: where }) => `${code} ${where.join('.')}`).sort()).toEqual([
      'field_dropped logprobs',
      'field_dropped reasoning_effort',
      'field_dropped response_format',
      'field_dropped service_tier',
      'hint_dropped metadata',
      'hint_dropped prompt_cache_key',
    ])
  })

  test('The effort "none" disables thinking on Messages.', () => {
    const settings = { effort: { value: 'none', path: ['reasoning_effort'] } }
    expect(encode(foreign([], { settings })).body).toEqual({ messages: [], thinking: { type: 'disabled' } })
  })
})
