/** The frames that the stream encoder writes for events of any wire. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import type { PartDeltaEvent, StreamEvent } from '../../../model/stream-event.ts'
import { createSseParser } from '../../../sse/sse-parser.ts'
import { messagesConversation } from '../conversation.ts'

function createEncoder() {
  const { report, diagnostics } = createReport()
  const context = { newId: (prefix: string) => `${prefix}new`, now: () => 0 }
  return { encoder: messagesConversation.createStreamEncoder(context, report), diagnostics }
}

function encode(events: readonly StreamEvent[]) {
  const { encoder, diagnostics } = createEncoder()
  const text = events.map(event => encoder.push(event)).join('')
  const frames = createSseParser()
    .push(text)
    .map(({ data }): JsonObject => JSON.parse(data))
  const types = frames.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))
  const deltas = frames.flatMap(({ type, delta }) => (type === 'content_block_delta' ? [delta] : []))
  return { text, frames, types, deltas, diagnostics, codes: diagnostics.map(({ code }) => code) }
}

const path = ['p']
const text = (said: string): Part => ({ kind: 'text', path, text: said })
const call = (input: string, more: object = {}): Part => ({
  kind: 'call',
  form: 'function',
  path,
  id: 'c',
  name: 'look',
  input,
  ...more,
})
const thought = (summary: string[], said: string[] = [], more: object = {}): Part => ({
  kind: 'reasoning',
  path,
  summary,
  text: said,
  ...more,
})
const textEvent = (index: number, said: string, more: Partial<PartDeltaEvent> = {}): StreamEvent => ({
  type: 'part-delta',
  index,
  text: said,
  ...more,
})
const part = (index: number, from: Part, to: Part, ...deltas: StreamEvent[]): StreamEvent[] => [
  { type: 'part-start', index, part: from },
  ...deltas,
  { type: 'part-end', index, part: to },
]
const start: StreamEvent = { type: 'start' }
const finish: StreamEvent = { type: 'finish', finish: { reason: 'stop' } }

describe('the Messages stream encoder', () => {
  test('Every delta becomes one frame, which is what JSON.stringify would write.', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }).map(said => `x${said}`),
        said => {
          const { encoder } = createEncoder()
          encoder.push({ type: 'part-start', index: 0, part: call('') })
          encoder.push(textEvent(0, '{'))
          encoder.push({ type: 'part-end', index: 0, part: call('{') })
          encoder.push({ type: 'part-start', index: 1, part: text('') })
          encoder.push(textEvent(1, 'x'))
          const delta = (value: object) =>
            JSON.stringify({ type: 'content_block_delta', index: 1, delta: value })
          expect(encoder.push(textEvent(1, said))).toBe(
            `event: content_block_delta\ndata: ${delta({ type: 'text_delta', text: said })}\n\n`,
          )
        },
      ),
    )
  })

  test('An answer without parts is a complete stream.', () => {
    const { types, frames } = encode([start, finish])
    expect(types).toEqual(['message_start', 'message_delta', 'message_stop'])
    expect(frames[1]).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 0 } })
  })

  test('A missing start event is written.', () => {
    expect(encode([...part(0, text(''), text('a')), finish]).types[0]).toBe('message_start')
    expect(encode([finish]).types[0]).toBe('message_start')
  })

  test('White space opens no block until a word follows.', () => {
    expect(
      encode([start, ...part(0, text(''), text(' \n'), textEvent(0, ' \n')), finish]).types,
    ).toHaveLength(3)
    const { deltas } = encode([
      start,
      ...part(0, text(''), text(' a'), textEvent(0, ' '), textEvent(0, 'a')),
      finish,
    ])
    expect(deltas).toEqual([{ type: 'text_delta', text: ' a' }])
  })

  test('What only the complete part holds is written before its end. [field E03]', () => {
    const { deltas } = encode([
      start,
      ...part(0, text(''), text('Hello'), textEvent(0, 'Hel')),
      ...part(1, call(''), call('{"a":1}')),
      ...part(2, thought([]), thought([], ['hm'])),
      finish,
    ])
    expect(deltas).toEqual([
      { type: 'text_delta', text: 'Hel' },
      { type: 'text_delta', text: 'lo' },
      { type: 'input_json_delta', partial_json: '{"a":1}' },
      { type: 'thinking_delta', thinking: 'hm' },
    ])
  })

  test('A part that overlaps another waits, and is then written in one delta.', () => {
    const { encoder } = createEncoder()
    encoder.push(start)
    encoder.push({ type: 'part-start', index: 0, part: call('') })
    expect(encoder.push({ type: 'part-start', index: 1, part: call('') })).toBe('')
    expect([encoder.push(textEvent(1, '{')), encoder.push(textEvent(1, '"a":'))]).toEqual(['', ''])
    const after = encoder.push({ type: 'part-end', index: 0, part: call('{}') })
    expect(after.match(/partial_json":"[^}]*/g)).toHaveLength(2)
    expect(after).toContain('"{\\"a\\":"')
    expect(encoder.push(textEvent(1, '1}'))).toContain('1}')
  })

  test('Sections of reasoning become one text, and the second of two texts is dropped and reported.', () => {
    const summary = (section: number, said: string) => textEvent(0, said, { summary: true, section })
    const whole = thought(['ab', 'c'])
    const summarised = encode([
      start,
      ...part(0, thought([]), whole, summary(0, 'a'), summary(0, 'b'), summary(1, 'c')),
      finish,
    ])
    expect(summarised.deltas.map(delta => (delta as JsonObject).thinking).join('')).toBe('ab\n\nc')
    expect(summarised.codes).toEqual([])
    const both = thought(['s'], ['t'])
    const first = encode([
      start,
      ...part(0, thought([]), both, textEvent(0, 's', { summary: true }), textEvent(0, 't')),
      finish,
    ])
    expect(first.deltas).toEqual([{ type: 'thinking_delta', thinking: 's' }])
    expect(first.diagnostics).toMatchObject([{ code: 'field_dropped', path: ['p', 'text'] }])
    const second = encode([
      start,
      ...part(0, thought([]), both, textEvent(0, 't'), textEvent(0, 's', { summary: true })),
      finish,
    ])
    expect(second.deltas).toEqual([{ type: 'thinking_delta', thinking: 't' }])
    expect(second.diagnostics).toMatchObject([{ code: 'field_dropped', path: ['p', 'summary'] }])
  })

  test('Reasoning without text has no block, unless it has a seal of this wire.', () => {
    const foreign = thought([], [], { seal: { wire: 'responses', value: 'x' } })
    const none = encode([start, ...part(0, thought([]), foreign), finish])
    expect(none.types).toHaveLength(3)
    expect(none.codes).toEqual(['reasoning_sealed'])
    const own = thought([], [], { seal: { wire: 'messages', value: 'x', redacted: true } })
    expect(encode([start, ...part(0, own, own), finish]).frames[1]).toMatchObject({
      content_block: { type: 'redacted_thinking', data: 'x' },
    })
  })

  test('Parts that only another wire defines are dropped and reported, and the indexes of blocks have no gaps.', () => {
    const foreign: Part = { kind: 'hosted', wire: 'responses', path, type: 'x', value: {} }
    const { types, codes } = encode([
      start,
      ...part(0, foreign, foreign, textEvent(0, 'a')),
      ...part(1, text(''), text('b')),
      finish,
    ])
    expect(types).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'message_delta',
      'message_stop',
    ])
    expect(codes).toEqual(['part_dropped'])
  })

  test('Arguments that are not an object are wrapped in one, broken ones are passed on, and both are reported.', () => {
    const raw = encode([
      start,
      ...part(0, call(''), call('[1,"a"]'), textEvent(0, ' ['), textEvent(0, '1,"a"]')),
      finish,
    ])
    expect(JSON.parse(raw.deltas.map(delta => (delta as JsonObject).partial_json).join(''))).toEqual({
      _raw: ' [1,"a"]',
    })
    const broken = encode([start, ...part(0, call(''), call('{a}'), textEvent(0, '{a}')), finish])
    expect(broken.deltas).toEqual([{ type: 'input_json_delta', partial_json: '{a}' }])
    expect([raw.codes, broken.codes]).toEqual([['arguments_not_object'], ['arguments_not_object']])
  })

  test('A call without an id gets a new one.', () => {
    const { frames } = encode([
      start,
      ...part(0, call('', { id: undefined }), call('{}', { id: undefined })),
      finish,
    ])
    expect(frames[1]).toMatchObject({ content_block: { id: 'toolu_new', input: {} } })
  })

  test('A refusal in an answer that ends in calls is written as text and reported.', () => {
    const refusal: Part = { kind: 'refusal', path, text: 'No.' }
    const { codes, frames } = encode([
      start,
      ...part(0, refusal, refusal, textEvent(0, 'No.')),
      ...part(1, call(''), call('{}')),
      finish,
    ])
    expect(codes).toEqual(['field_dropped'])
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  test('Blocks that are open when the answer ends or fails are closed.', () => {
    const open: StreamEvent[] = [start, { type: 'part-start', index: 0, part: text('') }, textEvent(0, 'a')]
    expect(encode([...open, finish]).types.slice(-3)).toEqual([
      'content_block_stop 0',
      'message_delta',
      'message_stop',
    ])
    const failed = encode([...open, { type: 'error', error: { kind: 'server', message: 'm' } }, finish])
    expect(failed.types.slice(-2)).toEqual(['content_block_stop 0', 'error'])
    expect(failed.text.endsWith('"request_id":null,"error":{"type":"api_error","message":"m"}}\n\n')).toBe(
      true,
    )
    expect(encode([start, { type: 'finish', finish: { reason: 'failed' } }]).types.at(-1)).toBe('error')
  })

  test('Residue that is nested too deep to be written is lost, and its part is not.', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const residue = { wire: 'messages', at: path, entries: [[['x'], deep]] } as const
    const { types } = encode([
      start,
      ...part(0, { ...text(''), residue }, { ...text('a'), residue }),
      ...part(1, { ...call(''), residue }, { ...call('{}'), residue }),
      { ...finish, residue } as StreamEvent,
    ])
    expect(types.slice(-2)).toEqual(['message_delta', 'message_stop'])
    expect(types).toContain('content_block_start 1')
    const hosted: Part = { kind: 'hosted', wire: 'messages', path, type: 'x', value: { deep } }
    expect(encode([start, ...part(0, hosted, hosted), finish]).codes).toEqual(['part_dropped'])
  })

  test('Arbitrary events in any order are encoded without throwing, and the stream ends once.', () => {
    const word = fc.string({ maxLength: 3 })
    const seal = fc.record({
      wire: fc.constantFrom('messages', 'responses'),
      value: word,
      redacted: fc.boolean(),
    })
    const anyPart = fc.oneof(
      word.map(text),
      word.map(said => ({ kind: 'refusal', path, text: said })),
      fc
        .record({
          form: fc.constantFrom('custom', 'function'),
          status: fc.constantFrom('incomplete', 'completed'),
        })
        .chain(more => word.map(said => call(said, more))),
      fc
        .tuple(fc.array(word), fc.array(word), seal)
        .map(([summary, said, sealed]) => thought(summary, said, { seal: sealed })),
      fc.record({
        kind: fc.constantFrom('hosted', 'opaque'),
        wire: fc.constantFrom('messages', 'chat'),
        path: fc.constant(path),
        type: word,
        value: fc.oneof(fc.object(), word),
      }),
      fc.record({
        kind: fc.constant('image'),
        path: fc.constant(path),
        source: fc.record({ type: fc.constant('url'), url: word }),
      }),
      fc.record({
        kind: fc.constant('result'),
        form: fc.constant('function'),
        path: fc.constant(path),
        content: fc.constant([]),
      }),
    ) as fc.Arbitrary<Part>
    const index = fc.nat({ max: 3 })
    const reason = fc.constantFrom(
      'stop',
      'calls',
      'length',
      'filter',
      'refusal',
      'pause',
      'failed',
      'cancelled',
      'unfinished',
    )
    const event = fc.oneof(
      { weight: 1, arbitrary: fc.constant(start) },
      { weight: 8, arbitrary: fc.record({ type: fc.constant('part-start'), index, part: anyPart }) },
      {
        weight: 8,
        arbitrary: fc.record({
          type: fc.constant('part-delta'),
          index,
          text: word,
          summary: fc.boolean(),
          section: index,
        }),
      },
      { weight: 8, arbitrary: fc.record({ type: fc.constant('part-end'), index, part: anyPart }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('finish'), finish: fc.record({ reason }) }) },
      { weight: 1, arbitrary: fc.constant({ type: 'error', error: { kind: 'server', message: 'm' } }) },
    ) as fc.Arbitrary<StreamEvent>
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), events => {
        const { types } = encode([...events, finish])
        expect(types.filter(type => type === 'message_stop' || type === 'error')).toEqual([types.at(-1)])
        const blocks = types.filter(type => /_(start|stop) \d/.test(String(type)))
        const dense = blocks.map(
          (_, i) => `content_block_${i % 2 === 0 ? 'start' : 'stop'} ${Math.floor(i / 2)}`,
        )
        expect(blocks).toEqual(dense)
      }),
      { numRuns: 300 },
    )
  })
})
