/** The fast path emits what the parser would emit, and leaves everything else to the parser. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldEvents } from '../../model/fold-events.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { SseFrame } from '../../sse/sse-parser.ts'
import type { WireConversation } from '../define-wire.ts'
import { builtInConversations } from '../registry.ts'
import type { FrameTemplate } from './frame-template.ts'
import { learnTemplate } from './frame-template.ts'
import { StreamReader } from './stream-reader.ts'

const event = (text: unknown, more: object = {}): string => JSON.stringify({ id: 'a', text, ...more })

const learn = (frame: SseFrame, volatileFields: readonly string[] = []): FrameTemplate | undefined =>
  learnTemplate(frame, { key: 'text', volatileFields })

function matchedText(lesson: string, data: string, volatileFields?: readonly string[]): string | undefined {
  const template = learn({ data: lesson }, volatileFields)
  if (template === undefined || !template.matchFrame({ data })) {
    expect(template?.matchStream(`x\n\ndata: ${data}\n\n`, 3) ?? -1).toBe(-1)
    return undefined
  }
  const { text } = template
  // The result is the same when the event is part of a stream.
  const stream = `x\n\ndata: ${data}\n\n`
  expect(template.matchStream(stream, 3)).toBe(stream.length)
  expect(template.text).toBe(text)
  return text
}

describe('events that repeat another except for one string', () => {
  test('The fast path returns the same text as JSON.parse.', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        expect(matchedText(event(first), event(second))).toBe(JSON.parse(event(second)).text)
      }),
    )
  })

  test('Events match whatever their white space and escapes.', () => {
    expect(matchedText('{ "text" : "a", "n": 1 }', '{ "text" : "\\u0062\\"\\n", "n": 1 }')).toBe('b"\n')
    expect(matchedText('{"text":""}', '{"text":"so"}')).toBe('so')
    expect(matchedText('{"text":"ends in \\\\"}', '{"text":"b"}')).toBe('b')
  })

  test.each([
    ['has another field', event('b', { stop: true })],
    ['lacks a field', '{"text":"b"}'],
    ['has the key twice', '{"id":"a","text":"b","text":"c"}'],
    ['has a field in place of the end', '{"id":"a","text":"b","x":"c"}'],
    ['has a value that is not a string', event(5)],
    ['has an unclosed string', '{"id":"a","text":"b\\"}'],
    ['is cut short', '{"id":"a","text":"b'],
    ['has a raw control character', '{"id":"a","text":"b\tc"}'],
  ])('An event does not match if it %s.', (_, data) => {
    expect(matchedText(event('a'), data)).toBeUndefined()
  })

  test('Volatile fields may have any number or any string without escapes.', () => {
    const volatileFields = ['n', 'noise']
    const sample = (n: string, noise: string): string => `{"n":${n},"text":"b","noise":"${noise}","m":1}`
    expect(matchedText(sample('7', 'ab'), sample('12', ''), volatileFields)).toBe('b')
    expect(matchedText(sample('7', 'ab'), '{"n":0,"text":"c","noise":"","m":1  }', volatileFields)).toBe('c')
    for (const n of ['07', '', '-1', '1.5', '1e3', 'null']) {
      expect(matchedText(sample('7', 'ab'), sample(n, ''), volatileFields)).toBeUndefined()
    }
    expect(matchedText(sample('7', 'ab'), sample('8', '\\n'), volatileFields)).toBeUndefined()
    expect(
      matchedText(sample('7', 'ab'), '{"n":8,"text":"c","noise":"","m":2}', volatileFields),
    ).toBeUndefined()
    expect(matchedText(sample('7', 'ab'), sample('8', 'ab'))).toBeUndefined()
  })

  test('Long texts are read exactly.', () => {
    const long = 'so '.repeat(500)
    expect(matchedText(event('a'), event(long))).toBe(long)
    expect(matchedText(event('a'), event(`${long}"\\\n`))).toBe(`${long}"\\\n`)
    expect(matchedText(event('a'), event(long).replace('so so', 'so\tso'))).toBeUndefined()
  })

  test.each([
    ['the key could hide behind an escape', '{"x":{"text":"a"},"te\\u0078t":"b"}'],
    ['another field is escaped', '{"text":"a","name":"\\u0041"}'],
    ['it is not an object', '["text","a"]'],
  ])('An event is not learnt if %s.', (_, data) => {
    expect(matchedText(data, data)).toBeUndefined()
  })

  test('An event in a stream matches only if it is complete and on one line.', () => {
    const template = learn({ event: 'a', data: '{"text":"x"}' })
    const stream = 'event: a\ndata: {"text":"y"}\n\n'
    expect(template?.matchStream(stream + stream, stream.length)).toBe(2 * stream.length)
    expect(template?.matchStream(stream.slice(0, -1), 0)).toBe(-1)
    expect(template?.matchStream('data: {"text":"y"}\n\n', 0)).toBe(-1)
    expect(template?.matchStream('event: a\ndata: {"text":"y"}\ndata: \n\n', 0)).toBe(-1)
    const twoLines = learn({ data: '{"text":\n"x"}' })
    expect(twoLines?.matchStream('data: {"text":\n"x"}\n\n', 0)).toBe(-1)
    expect(twoLines?.matchFrame({ data: '{"text":\n"z"}' })).toBe(true)
  })

  test('An event matches only if it has the same name, and its key occurs once.', () => {
    const template = learn({ event: 'a', data: event('x') })
    expect(template?.matchFrame({ event: 'b', data: event('y') })).toBe(false)
    expect(template?.matchFrame({ data: event('y') })).toBe(false)
    expect(template?.matchFrame({ event: 'a', data: event('y') })).toBe(true)
    expect(learn({ data: '{"kind":"text","text":"x"}' })).toBeUndefined()
  })
})

describe('decoders with the fast path', () => {
  const chat = (delta: object, more: object = {}): string =>
    JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...more }] })
  const args = (text: string, index = 0): string =>
    chat({ tool_calls: [{ index, function: { arguments: text } }] })
  const begin = (index: number): string =>
    chat({ tool_calls: [{ index, id: `call_${index}`, function: { name: 'f', arguments: '' } }] })
  const block = (kind: string, key: string, text: string, index: number): string =>
    JSON.stringify({ type: 'content_block_delta', index, delta: { type: kind, [key]: text } })

  const piece = fc.string({ unit: 'binary', maxLength: 5 })
  const chatData = fc
    .array(
      fc.oneof(
        piece.map(text => chat({ content: text })),
        piece.map(text => chat({ reasoning_content: text, content: null })),
        piece.map(text => chat({ content: text, extra: text })),
        piece.map(text => chat({ content: text }, { logprobs: { content: [{ token: text }] } })),
        fc.tuple(piece, fc.nat(1)).map(([text, index]) => args(text, index)),
      ),
      { maxLength: 30 },
    )
    .map(list => [begin(0), begin(1), ...list, chat({}, { finish_reason: 'stop' }), '[DONE]'])
  const messagesData = fc
    .array(
      fc.oneof(
        piece.map(text => block('text_delta', 'text', text, 0)),
        piece.map(text => block('input_json_delta', 'partial_json', text, 1)),
        piece.map(text => block('thinking_delta', 'thinking', text, 2)),
      ),
      { maxLength: 30 },
    )
    .map(list => [
      JSON.stringify({
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', content: [] },
      }),
      ...[
        { type: 'text', text: '' },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
        { type: 'thinking', thinking: '' },
      ].map((content_block, index) => JSON.stringify({ type: 'content_block_start', index, content_block })),
      ...list,
      ...[0, 1, 2].map(index => JSON.stringify({ type: 'content_block_stop', index })),
      JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      JSON.stringify({ type: 'message_stop' }),
    ])

  const responsesData = fc
    .array(
      fc.tuple(
        fc.constantFrom(
          { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0 },
          { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 1 },
          { type: 'response.refusal.delta', item_id: 'm', output_index: 0, content_index: 2 },
          { type: 'response.function_call_arguments.delta', item_id: 'f', output_index: 1 },
          { type: 'response.reasoning_summary_text.delta', item_id: 'r', output_index: 2, summary_index: 0 },
          { type: 'response.reasoning_text.delta', item_id: 'r', output_index: 2, content_index: 0 },
        ),
        piece,
        fc.constantFrom({}, { obfuscation: 'abc' }, { obfuscation: '' }, { response: { usage: {} } }),
      ),
      { maxLength: 30 },
    )
    .map(list => [
      { type: 'response.created', response: { id: 'resp_1', model: 'm' } },
      ...[
        { type: 'message', id: 'm', role: 'assistant', content: [] },
        { type: 'function_call', id: 'f', call_id: 'c', name: 'f', arguments: '' },
        { type: 'reasoning', id: 'r', summary: [] },
      ].map((item, output_index) => ({ type: 'response.output_item.added', output_index, item })),
      // Two deltas of a kind in a row, so that the second repeats the first.
      ...list.flatMap(([where, delta, more]) =>
        [delta, `${delta}.`].map(text => ({ ...where, delta: text, ...more })),
      ),
      { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed' } },
    ])
    .map(list => list.map((data, sequence_number) => JSON.stringify({ ...data, sequence_number })))

  /** Different white space in each event keeps the fast path from matching, and means nothing in JSON. */
  const neverAlike = (list: readonly string[]): string[] =>
    list.map((data, i) => (data === '[DONE]' ? data : data.replace('{', `{${' '.repeat(1 + (i % 7))}`)))

  const eventsOf = (codec: WireConversation, list: readonly string[]): StreamEvent[] => {
    const decoder = codec.createStreamDecoder(() => {})
    return [...list.flatMap(data => decoder.push({ data })), ...decoder.end()]
  }

  /** The same through a reader, from one text with all events that is cut at these positions. */
  const fastEvents = (
    codec: WireConversation,
    list: readonly string[],
    cuts: readonly number[],
  ): StreamEvent[] => {
    const reader = new StreamReader(codec, () => {}, { longestFrame: 10_000 })
    const text = list.map(data => `data: ${data}\n\n`).join('')
    const positions = cuts.filter(cut => cut < text.length).sort((a, b) => a - b)
    const pieces = [...positions, text.length].map((end, i) => text.slice(positions[i - 1] ?? 0, end))
    return [...pieces.flatMap(piece => reader.read(piece)), ...reader.end()]
  }

  test.each([
    [builtInConversations.chat, chatData],
    [builtInConversations.messages, messagesData],
    [builtInConversations.responses, responsesData],
  ] as const)('Decoders emit the same events with and without the fast path.', (codec, stream) => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(4000), { maxLength: 5 }), (list, cuts) => {
        const events = eventsOf(codec, list)
        expect(fastEvents(codec, list, cuts)).toEqual(events)
        expect(fastEvents(codec, neverAlike(list), cuts)).toEqual(events)
        expect(foldEvents(events).turns.length).toBeGreaterThan(0)
      }),
    )
  })

  test('A frame that repeats another and exceeds the limit is not read.', () => {
    const reader = new StreamReader(builtInConversations.chat, () => {}, { longestFrame: 200 })
    const frame = (text: string): string => `data: ${chat({ content: text })}\n\n`
    expect(reader.read(frame('a')).length).toBeGreaterThan(0)
    expect(reader.read(frame('b'.repeat(300)))).toEqual([])
    expect(reader.exceeded).toMatch(/longer than 200/)
  })
})
