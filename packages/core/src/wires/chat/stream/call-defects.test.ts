/** Calls that servers stream against the rules of the wire, and the call that each piece is assigned to. */

import { describe, expect, test } from 'vitest'
import type { Decoded } from '../../../../../../test/support/streams/chat.ts'
import { chunk, decodeFrames, ended, more, pieces, tc } from '../../../../../../test/support/streams/chat.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'

const decodeCalls = (...frames: SseFrame[]): Decoded => decodeFrames([...frames, ...ended()])

describe('the calls of a Chat stream', () => {
  test('Two calls become two parts. [field D01]', () => {
    const { calls, answer } = decodeCalls(
      pieces(tc(0, 'a', 'f', '')),
      pieces(more(0, '{}')),
      pieces(tc(1, 'b', 'g', '')),
      pieces(more(1, '{"x":1}')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{"x":1}'],
    ])
    expect(answer.finish).toEqual({ reason: 'calls', raw: 'tool_calls' })
  })

  test('A piece belongs to the call with its index, whatever its position in the list. [field D03]', () => {
    const { calls } = decodeCalls(
      pieces(tc(1, 'b', 'g', '{"b"'), tc(0, 'a', 'f', '{"a"')),
      pieces(more(0, ':1}'), more(1, ':2}')),
    )
    expect(calls).toEqual([
      ['b', 'g', '{"b":2}'],
      ['a', 'f', '{"a":1}'],
    ])
  })

  test('An empty id or name on a continuation counts as absent. [field D05]', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x"')),
      pieces(tc(0, '', '', ':1')),
      pieces(tc(0, null, null, '}')),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('A new id starts a new call although the index is repeated. [field D07]', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":1}')),
      pieces(tc(0, 'b', 'f', '{"x":')),
      pieces(more(0, '2}')),
      pieces(tc(0, 'c', 'g', '')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"x":2}'],
      ['c', 'g', ''],
    ])
  })

  test('A piece without an id belongs to the only unfinished call of its index. [field D07]', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":')),
      pieces(tc(0, 'b', 'f', '{"x":2}')),
      pieces(more(0, '1}')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"x":2}'],
    ])
  })

  test('A piece that could belong to two unfinished calls fails the stream, and neither call can be run. [field D07]', () => {
    const { answer, parts } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":')),
      pieces(tc(0, 'b', 'f', '{"x":')),
      pieces(more(0, '1}')),
    )
    expect(answer.finish.reason).toBe('failed')
    expect(answer.error?.message).toContain('Event 3')
    expect(parts.map(part => (part as CallPart).status)).toEqual(['incomplete', 'incomplete'])
  })

  test('Without ids, another name or other complete arguments start another call. [field D07]', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, undefined, 'f', '{"x":1}')),
      pieces(tc(0, undefined, 'f', '{"x":2}')),
      pieces(tc(0, undefined, 'g', '{"x":2}')),
    )
    expect(calls).toEqual([
      [undefined, 'f', '{"x":1}'],
      [undefined, 'f', '{"x":2}'],
      [undefined, 'g', '{"x":2}'],
    ])
  })

  test.each([
    ['as they were', '{"x":1}'],
    ['with other white space', '{ "x": 1 }'],
  ])('Arguments, id and name that are repeated at the end %s count once. [field D09]', (_, again) => {
    const { calls, events } = decodeCalls(
      pieces(tc(0, 'a', 'f', '')),
      pieces(more(0, '{"x"')),
      pieces(more(0, ':1}')),
      pieces(tc(0, 'a', 'f', again)),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
    expect(events.filter(({ type }) => type === 'part-delta')).toHaveLength(2)
  })

  test('Arguments that are repeated in pieces and without a name count once. [field D09]', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":1}')),
      pieces(more(0, '{"x"')),
      pieces(more(0, ':1}')),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('A piece that only begins like a repetition is emitted as it came.', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":1}')),
      pieces(more(0, '{"x"')),
      pieces(more(0, ':2}')),
      pieces(tc(1, 'b', 'f', '{}')),
      pieces(more(1, '{')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}{"x":2}'],
      ['b', 'f', '{}{'],
    ])
  })

  test('Pieces that all repeat the id belong to one call.', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', '{"x"')), pieces(tc(0, 'a', null, ':1}')))
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('A call whose id changes with every piece keeps the first id.', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', '{"x"')), pieces(tc(0, 'b', null, ':1}')))
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('Pieces without an index are assigned by id, name and order.', () => {
    const { calls } = decodeCalls(
      pieces(tc(undefined, 'a', 'f', '{"x"')),
      pieces(more(undefined, ':1}')),
      pieces(tc(undefined, 'b', 'f', '{"x":2}')),
      pieces(tc(undefined, undefined, 'g', '{}'), tc(undefined, undefined, 'h', '{}')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"x":2}'],
      [undefined, 'g', '{}'],
      [undefined, 'h', '{}'],
    ])
  })

  test('A second call may begin under the index of the first.', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '')),
      pieces(more(0, '{"x":1}')),
      pieces(tc(0, 'b', 'g', '')),
      pieces(more(1, '{"x":')),
      pieces(more(1, '2}')),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{"x":2}'],
    ])
  })

  test('Two calls on two indexes may share one id.', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'f', 'f', '{"x"'), tc(1, 'f', 'f', '{"x"')),
      pieces(tc(0, 'f', null, ':1}'), tc(1, 'f', null, ':2}')),
    )
    expect(calls).toEqual([
      ['f', 'f', '{"x":1}'],
      ['f', 'f', '{"x":2}'],
    ])
  })

  test('A call starts when its name comes, and the arguments before it become one delta. [field E11]', () => {
    const { calls, events } = decodeCalls(
      pieces(tc(0, 'a', '', '{"x"')),
      pieces(more(0, ':1')),
      pieces(tc(0, '', 'f', '')),
      pieces(more(0, '}')),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
    expect(events.map(event => (event.type === 'part-delta' ? event.text : event.type))).toEqual([
      'start',
      'part-start',
      '{"x":1',
      '}',
      'part-end',
      'finish',
    ])
  })

  test('A complete call may arrive in one piece, with an object as arguments.', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', { x: 1 }), { id: 'b', name: 'g', arguments: '{}' }))
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{}'],
    ])
  })

  test('A call without arguments becomes a part. [field D19]', () => {
    expect(
      decodeCalls(pieces({ index: 0, id: 'a', type: 'function', function: { name: 'f' } })).calls,
    ).toEqual([['a', 'f', '']])
  })

  test('A call whose name never comes becomes an opaque part.', () => {
    const { parts, answer } = decodeCalls(pieces({ index: 0, id: 'a', function: { arguments: '{}' } }))
    expect(parts).toMatchObject([{ kind: 'opaque', value: { id: 'a', function: { arguments: '{}' } } }])
    expect(answer.finish.reason).toBe('unfinished')
  })

  test('Unknown fields beside a call, such as a signature, stay with it.', () => {
    const google = { google: { thought_signature: 's' } }
    const { parts } = decodeCalls(pieces({ ...tc(0, 'a', 'f', '{}'), extra_content: google }))
    expect(parts[0]?.residue?.entries).toEqual([[['extra_content'], google]])
  })

  test('The deprecated function_call becomes a call.', () => {
    const { calls, parts } = decodeFrames([
      chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      ...ended('function_call'),
    ])
    expect(calls).toEqual([[undefined, 'f', '{"x":1}']])
    expect(parts[0]?.path).toEqual(['choices', 0, 'message', 'function_call'])
  })

  test('A custom call may contain the same text twice.', () => {
    const custom = (input: string) => ({ index: 0, custom: { input } })
    const head = { index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: '{}' } }
    expect(decodeCalls(pieces(head), pieces(custom('{}')), pieces(custom('!'))).calls).toEqual([
      ['a', 'f', '{}{}!'],
    ])
  })
})
