/** Requests: what is read, that their own wire gets them back, and what the encoder makes of other wires' turns. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { responsesConversation } from '../conversation.ts'

const { decodeRequest, encodeRequest } = responsesConversation

function decode(body: JsonObject): { value: Request; codes: string[] } {
  const { report, diagnostics } = createReport()
  return { value: decodeRequest(body, report), codes: diagnostics.map(({ code }) => code) }
}

function roundTrip(body: JsonObject): { value: JsonObject; diagnostics: unknown[] } {
  const { report, diagnostics } = createReport()
  return { value: encodeRequest(decodeRequest(body, report), report), diagnostics }
}

function encode(turns: readonly Turn[], more: Partial<Request> = {}): { value: JsonObject; codes: string[] } {
  const { report, diagnostics } = createReport()
  const value = encodeRequest({ turns, tools: {}, settings: {}, ...more }, report)
  return { value, codes: diagnostics.map(({ code }) => code) }
}

const text = (value: string): Part => ({ kind: 'text', text: value, path: ['messages', 0, 'content'] })
const turn = (role: Turn['role'], ...parts: Part[]): Turn => ({ role, parts, root: ['messages', 0] })
const call = (id: string, input = '{}'): Part => ({
  kind: 'call',
  form: 'function',
  id,
  name: 'w',
  input,
  path: ['messages', 0, 'tool_calls', 0],
})

describe('reading', () => {
  test('An input of Responses that is absent, null, an empty text or an empty list comes back as it was.', () => {
    for (const body of [
      {},
      { input: null },
      { input: '' },
      { input: [] },
      { instructions: null, input: 'x' },
      { instructions: '', input: 'x' },
      { input: [{ role: 'user', content: '' }] },
      { input: [{ role: 'assistant', content: null }] },
      { input: [{ role: 'user', content: [] }] },
      { input: [{ role: 'user' }] },
      { reasoning: {}, text: {}, include: [], metadata: {}, tools: [] },
      { reasoning: null, text: { format: null }, include: null, temperature: null, stream: null },
    ]) {
      expect(roundTrip(body)).toStrictEqual({ value: body, diagnostics: [] })
    }
  })

  test('An input of Responses that is neither a text nor a list is reported as an error and comes back as it was.', () => {
    for (const input of [5, true, { role: 'user', content: 'Hi' }]) {
      const { value, diagnostics } = roundTrip({ input })
      expect(value).toStrictEqual({ input })
      expect(diagnostics).toMatchObject([{ code: 'not_a_list', path: ['input'] }])
    }
    for (const body of [{}, { input: null }, { input: '' }, { input: [] }])
      expect(decode(body).codes).toEqual([])
  })

  test('Outputs of Responses that are objects, numbers or lists of strings are read as text and come back as they were. [field A19]', () => {
    const outputs = [{ a: 1 }, 42, true, ['a', 'b'], null, [{ type: 'input_text', text: 'x' }, 'y']]
    const texts = ['{"a":1}', '42', 'true', 'ab', '', 'xy']
    for (const [i, output] of outputs.entries()) {
      const body = { input: [{ type: 'function_call_output', call_id: 'c', output }] }
      expect(roundTrip(body)).toStrictEqual({ value: body, diagnostics: [] })
      const [part] = decode(body).value.turns[0]?.parts ?? []
      const read = part?.kind === 'result' ? part.content : []
      expect(read.map(inner => (inner.kind === 'text' ? inner.text : '?')).join('')).toBe(texts[i])
    }
  })

  test('Arguments of Responses that are an object, empty or missing are read as text and come back as they were.', () => {
    for (const [args, input] of [
      [{ a: 1 }, '{"a":1}'],
      ['', ''],
      [null, ''],
      ['{"a": 1', '{"a": 1'],
    ]) {
      const body = { input: [{ type: 'function_call', call_id: 'c', name: 'w', arguments: args }] }
      expect(roundTrip(body)).toStrictEqual({ value: body, diagnostics: [] })
      expect(decode(body).value.turns[0]?.parts[0]).toMatchObject({ kind: 'call', input })
    }
    const missing = { input: [{ type: 'function_call', call_id: 'c', name: 'w' }] }
    expect(roundTrip(missing)).toStrictEqual({ value: missing, diagnostics: [] })
  })

  test('The original form of an input is not restored on Responses after an adaptation has changed it.', () => {
    const { value } = decode({ input: [{ type: 'function_call', call_id: 'c', name: 'w', arguments: {} }] })
    const turns = value.turns.map(each => ({
      ...each,
      parts: each.parts.map((part): Part => (part.kind === 'call' ? { ...part, input: '{"b":2}' } : part)),
    }))
    expect(encode(turns, value.residue && { residue: value.residue }).value.input).toStrictEqual([
      { type: 'function_call', call_id: 'c', name: 'w', arguments: '{"b":2}' },
    ])
  })

  test('Blocks of type tool_result in a message of Responses are read as results and written as items.', () => {
    const body = {
      input: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: '42', is_error: true },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'x' }] },
            { type: 'input_text', text: 'go on' },
          ],
        },
      ],
    }
    const { value, codes } = decode(body)
    expect(value.turns[0]?.parts.map(({ kind }) => kind)).toEqual(['result', 'result', 'text'])
    expect(new Set(codes)).toEqual(new Set(['mixed_shape']))
    expect(roundTrip(body).value).toStrictEqual({
      input: [
        { type: 'function_call_output', call_id: 'a', output: '[tool error] 42' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'x' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
      ],
    })
  })

  test("Calls and results in Chat's shape among the items of Responses are read.", () => {
    const body = {
      input: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'w', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    }
    expect(roundTrip(body).value.input).toStrictEqual([
      { type: 'function_call', call_id: 'a', name: 'w', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
    ])
  })

  test('A result of Responses with the error mark is an error, and its text is read without the mark. [field C13]', () => {
    const body = {
      input: [{ type: 'function_call_output', call_id: 'a', output: '[tool error] no such file' }],
    }
    expect(decode(body).value.turns[0]?.parts[0]).toMatchObject({
      isError: true,
      content: [{ text: 'no such file' }],
    })
    expect(roundTrip(body).value).toStrictEqual(body)
  })

  test('Hosted and unknown items of Responses are kept verbatim. [field A39]', () => {
    const input = [
      { type: 'tool_search_call', execution: 'client', call_id: 'a', arguments: { query: 'x' } },
      { type: 'tool_search_output', call_id: 'a', tools: [{ type: 'function', name: 'f' }] },
      { type: 'item_reference', id: 'rs_1' },
      { id: 'msg_1' },
      { type: 'compaction', encrypted_content: 'abc' },
      { type: 'compaction_trigger' },
      { type: 'acme:trace', note: 1 },
      'not an item',
      null,
    ]
    expect(roundTrip({ input })).toStrictEqual({ value: { input }, diagnostics: [] })
    expect(decode({ input }).value.turns.map(({ parts: [part] }) => part?.kind)).toEqual([
      'hosted',
      'hosted',
      ...Array.from({ length: 7 }, () => 'opaque'),
    ])
  })

  test('Every setting of Responses records the path it was read from.', () => {
    const { settings } = decode({
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: null }, verbosity: 'low' },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    }).value
    expect(settings).toEqual({
      effort: { value: 'low', path: ['reasoning', 'effort'] },
      format: { value: { type: 'json_schema', name: 'n', schema: {} }, path: ['text', 'format'] },
      verbosity: { value: 'low', path: ['text', 'verbosity'] },
      logprobs: { value: true, path: ['include', 1] },
    })
  })

  test('Images and files of Responses are read by address, by data and by id.', () => {
    const content = [
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      { type: 'input_image', image_url: 'https://x.test/a.png', file_id: null },
      { type: 'input_image', file_id: 'file_1', detail: 'auto' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' },
      { type: 'input_file', file_data: 'BBBB', filename: 'a.bin' },
      { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      { type: 'input_file', file_id: 'file_2', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'input_image', image_url: 'data:image/svg+xml,<svg/>' },
      { type: 'input_audio', input_audio: { data: 'x' } },
    ]
    const body = { input: [{ role: 'user', content }] }
    expect(roundTrip(body)).toStrictEqual({ value: body, diagnostics: [] })
    expect(
      decode(body).value.turns[0]?.parts.map(part => ('source' in part ? part.source : part.kind)),
    ).toEqual([
      { type: 'data', mediaType: 'image/png', data: 'AAAA' },
      { type: 'url', url: 'https://x.test/a.png' },
      { type: 'file', id: 'file_1' },
      { type: 'data', mediaType: 'application/pdf', data: 'BBBB' },
      { type: 'data', mediaType: 'application/octet-stream', data: 'BBBB' },
      { type: 'url', url: 'https://x.test/a.pdf' },
      { type: 'file', id: 'file_2' },
      { type: 'url', url: 'data:image/svg+xml,<svg/>' },
      'opaque',
    ])
  })
})

describe("writing other wires' turns", () => {
  test('Calls beside an empty text are written on Responses as items without a message. [field A27]', () => {
    for (const parts of [[call('a')], [text(''), call('a')]]) {
      expect(encode([{ ...turn('assistant', ...parts), plain: true }]).value.input).toStrictEqual([
        { type: 'function_call', call_id: 'a', name: 'w', arguments: '{}' },
      ])
    }
  })

  test('A call is written on Responses without a role and without an invented id. [field A29] [field A33]', () => {
    const [item] = encode([turn('assistant', call('call_1'))]).value.input as JsonObject[]
    expect(item).not.toHaveProperty('role')
    expect(item).not.toHaveProperty('id')
  })

  test('Text between calls keeps its position on Responses. [field C07]', () => {
    const { value } = encode([turn('assistant', text('one'), call('a'), text('two'))])
    expect((value.input as JsonObject[]).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })

  test('The content of an assistant is written on Responses as output, and any other as input.', () => {
    const { value } = encode([
      turn('assistant', text('a')),
      turn('user', text('b')),
      turn('developer', text('c')),
    ])
    expect(value.input).toStrictEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'b' }] },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'c' }] },
    ])
  })

  test('One text of instructions is written in its own field of Responses, and several as system messages at the start.', () => {
    const system = { ...turn('system', text('be kind')), instructions: true }
    expect(encode([turn('user', text('hi')), system]).value).toStrictEqual({
      instructions: 'be kind',
      store: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    })
    const two = encode([turn('user', text('hi')), system, system]).value
    expect(two).not.toHaveProperty('instructions')
    expect((two.input as JsonObject[]).map(({ role }) => role)).toEqual(['system', 'system', 'user'])
  })

  test('Parts and fields that Responses has no place for are reported with their paths.', () => {
    const { report, diagnostics } = createReport()
    const hosted: Part = {
      kind: 'hosted',
      wire: 'messages',
      type: 'server_tool_use',
      value: {},
      path: ['messages', 1],
    }
    const opaque: Part = { kind: 'opaque', wire: 'chat', value: 'secret', path: ['messages', 2] }
    const inResult: Part = {
      kind: 'result',
      form: 'function',
      callId: 'c',
      content: [call('x')],
      path: ['messages', 3],
    }
    const value = encodeRequest(
      {
        turns: [turn('assistant', hosted, opaque), turn('tool', inResult)],
        tools: {},
        settings: {
          stop: { value: ['END'], path: ['stop'] },
          includeUsage: { value: true, path: ['stream_options'] },
        },
        residue: { wire: 'chat', at: [], entries: [[['seed'], 1]] },
      },
      report,
    )
    expect(value.input).toStrictEqual([{ type: 'function_call_output', call_id: 'c', output: [] }])
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['part_dropped', ['messages', 1]],
      ['part_dropped', ['messages', 2]],
      ['part_dropped', ['messages', 0, 'tool_calls', 0]],
      ['field_dropped', ['seed']],
      ['field_dropped', ['stop']],
      ['hint_dropped', ['stream_options']],
    ])
  })

  test('A failed result is written on Responses with the error mark, with or without a text of its own.', () => {
    const image: Part = {
      kind: 'image',
      source: { type: 'url', url: 'https://x.test/a' },
      path: ['messages', 0],
    }
    const result = (content: Part[]): Part => ({
      kind: 'result',
      form: 'custom',
      callId: 'c',
      content,
      isError: true,
      path: ['messages', 0],
    })
    expect(
      encode([turn('tool', result([text('boom')]), result([image]), result([]))]).value.input,
    ).toStrictEqual([
      { type: 'custom_tool_call_output', call_id: 'c', output: '[tool error] boom' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: '[tool error] ' },
          { type: 'input_image', image_url: 'https://x.test/a' },
        ],
      },
      { type: 'custom_tool_call_output', call_id: 'c', output: '[tool error] ' },
    ])
  })

  test('A request from another wire is written on Responses with storing turned off.', () => {
    expect(encode([]).value).toStrictEqual({ store: false })
    expect(encode([], { settings: { store: { value: true, path: ['store'] } } }).value).toStrictEqual({
      store: true,
    })
  })

  test('A schema from a wire that does not name it gets a name on Responses.', () => {
    const settings = { format: { value: { type: 'json_schema', schema: {} }, path: ['x'] } } as const
    expect(encode([], { settings }).value).toMatchObject({
      text: { format: { type: 'json_schema', name: 'response', schema: {} } },
    })
  })
})

test('A request with a hostile pile of results inside results costs its size.', () => {
  let nested: unknown = 'end'
  for (let i = 0; i < 20_000; i++) nested = [{ type: 'tool_result', tool_use_id: 'a', content: nested }]
  expect(roundTrip({ input: [{ role: 'user', content: nested }] }).value.input).toHaveLength(1)
})
