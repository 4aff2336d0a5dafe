/** The fast path emits what the parser would emit, and leaves everything else to the parser. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldEvents } from '../../model/fold-events.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import { createSseParser } from '../../sse/sse-parser.ts'
import type { WireConversation } from '../define-wire.ts'
import { builtInConversations } from '../registry.ts'
import { RepeatedDelta } from './repeated-delta.ts'

const event = (text: unknown, more: object = {}): string => JSON.stringify({ id: 'a', text, ...more })

function matchedText(lesson: string, data: string, volatileFields?: readonly string[]): string | undefined {
  const texts: string[] = []
  const repeated = new RepeatedDelta()
  repeated.learn({ data: lesson }, 'text', text => texts.push(text), volatileFields)
  const isMatched = repeated.tryFrame({ data })
  const stream = `x\n\ndata: ${data}\n\n`
  // The result is the same when the event is part of a stream.
  expect(repeated.tryFastEvent(stream, 3)).toBe(isMatched ? stream.length : -1)
  expect(texts).toEqual(isMatched ? [texts[0], texts[0]] : [])
  return texts[0]
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
    const repeated = new RepeatedDelta()
    const lesson = { event: 'a', data: '{"text":"x"}' }
    repeated.learn(lesson, 'text', () => {})
    const stream = 'event: a\ndata: {"text":"y"}\n\n'
    expect(repeated.tryFastEvent(stream + stream, stream.length)).toBe(2 * stream.length)
    expect(repeated.tryFastEvent(stream.slice(0, -1), 0)).toBe(-1)
    expect(repeated.tryFastEvent('data: {"text":"y"}\n\n', 0)).toBe(-1)
    expect(repeated.tryFastEvent('event: a\ndata: {"text":"y"}\ndata: \n\n', 0)).toBe(-1)
    repeated.learn({ data: '{"text":\n"x"}' }, 'text', () => {})
    expect(repeated.tryFastEvent('data: {"text":\n"x"}\n\n', 0)).toBe(-1)
    expect(repeated.tryFrame({ data: '{"text":\n"z"}' })).toBe(true)
  })

  test('An event matches only if it has the same name, and its key occurs once.', () => {
    const repeated = new RepeatedDelta()
    repeated.learn({ event: 'a', data: event('x') }, 'text', () => {})
    expect(repeated.tryFrame({ event: 'b', data: event('y') })).toBe(false)
    expect(repeated.tryFrame({ data: event('y') })).toBe(false)
    expect(repeated.tryFrame({ event: 'a', data: event('y') })).toBe(true)
    repeated.learn({ data: '{"kind":"text","text":"x"}' }, 'text', () => {})
    expect(repeated.tryFrame({ data: '{"kind":"text","text":"y"}' })).toBe(false)
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

  /** The same through a parser, from one text with all events. */
  const fastEvents = (codec: WireConversation, list: readonly string[]): StreamEvent[] => {
    const decoder = codec.createStreamDecoder(() => {})
    const events: StreamEvent[] = []
    createSseParser().parse(list.map(data => `data: ${data}\n\n`).join(''), {
      onFrame: frame => void events.push(...decoder.push(frame)),
      tryFastEvent: (text, start) => decoder.tryFastEvent(text, start),
    })
    return [...events, ...decoder.takeEvents(), ...decoder.end()]
  }

  test.each([
    [builtInConversations.chat, chatData],
    [builtInConversations.messages, messagesData],
    [builtInConversations.responses, responsesData],
  ] as const)('Decoders emit the same events with and without the fast path.', (codec, stream) => {
    fc.assert(
      fc.property(stream, list => {
        const events = eventsOf(codec, list)
        expect(events).toEqual(eventsOf(codec, neverAlike(list)))
        expect(events).toEqual(fastEvents(codec, list))
        expect(foldEvents(events).turns.length).toBeGreaterThan(0)
      }),
    )
  })
})
