/** Blocks that servers stream against the rules of the wire, and how they are decoded. */

import { describe, expect, test } from 'vitest'
import {
  call,
  createDecoder,
  decode,
  delta,
  ends,
  head,
  says,
  start,
  stop,
  tail,
  use,
  writes,
} from '../../../../../../test/support/streams/messages.ts'
import type { JsonObject } from '../../../json/object.ts'
import { foldEvents } from '../../../model/fold-events.ts'
import { createSseParser } from '../../../sse/sse-parser.ts'

describe('defects of Messages streams', () => {
  test('Thinking, text and messages whose start is missing are started. [field D27]', () => {
    const { events, parts } = decode([
      delta(0, 'thinking_delta', 'thinking', 'hm'),
      stop(0),
      says(1, 'a'),
      stop(1),
      ...tail,
    ])
    expect(events[0]).toEqual({ type: 'start' })
    expect(parts).toMatchObject([
      { kind: 'reasoning', text: ['hm'] },
      { kind: 'text', text: 'a' },
    ])
  })

  test('Blocks without an index are told apart by their order.', () => {
    const { parts } = decode([
      head,
      start(undefined, { type: 'text', text: '' }),
      says(undefined, 'a'),
      stop(),
      start(undefined, use('c')),
      writes(undefined, '{"a":1}'),
      stop(),
      ...tail,
    ])
    expect(parts).toMatchObject([
      { kind: 'text', text: 'a' },
      { kind: 'call', input: '{"a":1}' },
    ])
  })

  test('Blocks that all have the same index are told apart, with and without stops. [field D07]', () => {
    const blocks = (end: JsonObject[]) => [
      start(0, { type: 'text', text: '' }),
      says(0, 'a'),
      ...end,
      start(0, use('c')),
      writes(0, '{"a":1}'),
      ...end,
      start(0, use('d')),
      writes(0, '{"b":2}'),
      ...end,
    ]
    for (const end of [[], [stop(0)]]) {
      const { parts } = decode([head, ...blocks(end), ...tail])
      expect(parts).toEqual([
        expect.objectContaining({ text: 'a' }),
        call('c', '{"a":1}'),
        call('d', '{"b":2}'),
      ])
    }
  })

  test('Arguments under a wrong index belong to the only open call.', () => {
    const { parts } = decode([head, start(1, use('c')), writes(0, '{"a":1}'), stop(1), ...tail])
    expect(parts).toEqual([call('c', '{"a":1}')])
  })

  test('Arguments that belong to no call are dropped and reported.', () => {
    const { parts, diagnostics } = decode([
      head,
      start(0, use('c')),
      start(1, use('d')),
      writes(7, '{"a":1}'),
      stop(0),
      stop(1),
      ...tail,
    ])
    expect(parts).toEqual([call('c', '{}'), call('d', '{}')])
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path: ['content', 7] }])
  })

  test('Arguments that are repeated in full at the end count once. [field D09]', () => {
    const frames = [
      head,
      start(0, use('c')),
      writes(0, '{"a"'),
      writes(0, ':1}'),
      writes(0, '{"a":1}'),
      stop(0),
    ]
    expect(decode([...frames, ...tail]).parts).toEqual([call('c', '{"a":1}')])
  })

  test('A call that is repeated word for word counts once; one with only the same id is another call. [field D09]', () => {
    const once = [start(0, use('c')), writes(0, '{"a":1}'), stop(0)]
    const other = [start(0, use('c')), writes(0, '{"a":'), writes(0, '2}'), stop(0)]
    expect(decode([head, ...once, ...once, ...tail]).parts).toEqual([call('c', '{"a":1}')])
    expect(decode([head, ...once, ...other, ...tail]).parts).toEqual([
      call('c', '{"a":1}'),
      call('c', '{"a":2}'),
    ])
  })

  test('A block that is started twice becomes one part.', () => {
    const text = start(0, { type: 'text', text: '' })
    const frames = [
      head,
      head,
      text,
      text,
      says(0, 'a'),
      text,
      says(0, 'b'),
      stop(0),
      start(1, use('c')),
      start(1, use('c')),
    ]
    const { parts, events } = decode([...frames, writes(1, '{}'), start(1, use('c')), stop(1), ...tail])
    expect(parts).toEqual([expect.objectContaining({ text: 'ab' }), call('c', '{}')])
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
  })

  test('A call starts when its name comes, with the arguments so far. [field E11]', () => {
    const { decoder, push } = createDecoder()
    push(head)
    expect(push(start(0, use('c', '')))).toEqual([])
    expect(push(writes(0, ''))).toEqual([])
    expect(push(start(0, use('c')))).toMatchObject([
      { type: 'part-start', part: { name: 'look', input: '' } },
    ])
    const { push: again } = createDecoder()
    again(head)
    again(start(0, use('c', '')))
    expect(again(writes(0, '{"a":'))).toEqual([])
    expect(again(start(0, use('c')))).toMatchObject([
      { type: 'part-start', part: { name: 'look', input: '' } },
      { type: 'part-delta', text: '{"a":' },
    ])
    expect(decoder.end().at(-1)?.type).toBe('error')
  })

  test('Blocks without a stop end when the next one starts or with the answer.', () => {
    const { parts } = decode([
      head,
      start(0, { type: 'text', text: '' }),
      says(0, 'a'),
      start(1, use('c')),
      writes(1, '{}'),
      ...tail,
    ])
    expect(parts).toEqual([expect.objectContaining({ text: 'a' }), call('c', '{}')])
  })

  test('A complete text in the start of a block, or a complete answer in the first frame, is read.', () => {
    expect(decode([head, start(0, { type: 'text', text: 'a' }), stop(0), ...tail]).parts).toMatchObject([
      { text: 'a' },
    ])
    const message = {
      ...head.message,
      content: [
        { type: 'text', text: 'a' },
        { ...use('c'), input: { a: 1 } },
      ],
    }
    expect(decode([{ ...head, message }, ...tail]).parts).toEqual([
      expect.objectContaining({ text: 'a' }),
      call('c', '{"a":1}'),
    ])
  })

  test('Unknown events and fields, pings and comments are ignored.', () => {
    const text = [
      ': hello\r\n\r\n',
      `\uFEFFdata: ${JSON.stringify(head)}\r\n\r\n`.slice(1),
      'event: ping\ndata: {"type": "ping"}\n\n',
      'event: ping\ndata: -\n\n',
      'event: vertex_event\ndata: {"x":1}\n\n',
      'data: null\n\ndata:\n\n',
      `event: content_block_delta\ndata: {"type":"content_block_delta",\ndata: "index":0   ,"delta":{"type":"text_delta","text":"a","x":1}}\n\n`,
      `data: ${JSON.stringify(ends())}\n\n`,
      'event: message_stop\ndata: {}',
    ].join('')
    const parser = createSseParser()
    const { decoder } = createDecoder()
    const events = [...parser.push(text), ...parser.end()].flatMap(frame => decoder.push(frame))
    expect(foldEvents(events)).toMatchObject({
      finish: { reason: 'stop' },
      turns: [{ parts: [{ text: 'a' }] }],
    })
  })
})
