import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldEvents } from '../model/fold-events.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { Codec } from './codec.ts'
import { codecs } from './codecs.ts'
import { createRepeatedText } from './repeated-text.ts'

const event = (text: unknown, more: object = {}): string => JSON.stringify({ id: 'a', text, ...more })

function heard(lesson: string, data: string): string | undefined {
  const repeated = createRepeatedText()
  let told: string | undefined
  repeated.learn({ data: lesson }, 'text', text => {
    told = text
  })
  return repeated.tell({ data }) ? told : undefined
}

describe('an event that repeats another but for one text', () => {
  it('gives its text as parsing would, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        expect(heard(event(first), event(second))).toBe(JSON.parse(event(second)).text)
      }),
    )
  })

  it('is taken however it is spaced and escaped', () => {
    expect(heard('{ "text" : "a", "n": 1 }', '{ "text" : "\\u0062\\"\\n", "n": 1 }')).toBe('b"\n')
    expect(heard('{"text":""}', '{"text":"so"}')).toBe('so')
    expect(heard('{"text":"ends in \\\\"}', '{"text":"b"}')).toBe('b')
  })

  it.each([
    ['says more', event('b', { stop: true })],
    ['says less', '{"text":"b"}'],
    ['says the key twice', '{"id":"a","text":"b","text":"c"}'],
    ['has another text where one was', '{"id":"a","text":"b","x":"c"}'],
    ['says no text', event(5)],
    ['is broken', '{"id":"a","text":"b\\"}'],
    ['is cut', '{"id":"a","text":"b'],
    ['has a raw control character', '{"id":"a","text":"b\tc"}'],
  ])('is left to the parser when it %s', (_, data) => {
    expect(heard(event('a'), data)).toBeUndefined()
  })

  it('must be of the same kind, and its key must stand there once', () => {
    const repeated = createRepeatedText()
    repeated.learn({ event: 'a', data: event('x') }, 'text', () => {})
    expect(repeated.tell({ event: 'b', data: event('y') })).toBe(false)
    expect(repeated.tell({ data: event('y') })).toBe(false)
    expect(repeated.tell({ event: 'a', data: event('y') })).toBe(true)
    repeated.learn({ data: '{"kind":"text","text":"x"}' }, 'text', () => {})
    expect(repeated.tell({ data: '{"kind":"text","text":"y"}' })).toBe(false)
  })
})

describe('decoders that listen for repetitions', () => {
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

  /** A blank before each event keeps it from repeating the one before by its letters, and means nothing in JSON. */
  const neverAlike = (list: readonly string[]): string[] =>
    list.map((data, i) => (data === '[DONE]' ? data : data.replace('{', `{${' '.repeat(1 + (i % 7))}`)))

  const eventsOf = (codec: Codec, list: readonly string[]): StreamEvent[] => {
    const decoder = codec.createStreamDecoder(() => {})
    return [...list.flatMap(data => decoder.push({ data })), ...decoder.end()]
  }

  it.each([
    [codecs.chat, chatData],
    [codecs.messages, messagesData],
  ] as const)('hear the same as when nothing repeats', (codec, stream) => {
    fc.assert(
      fc.property(stream, list => {
        const events = eventsOf(codec, list)
        expect(events).toEqual(eventsOf(codec, neverAlike(list)))
        expect(foldEvents(events).turns.length).toBeGreaterThan(0)
      }),
    )
  })
})
