/** Calls as servers send them, against the rules, and to which call each piece is understood to belong. */
import { describe, expect, test } from 'vitest'
import type { Decoded } from '../../../../../../test/support/streams/chat.ts'
import { chunk, decodeFrames, ended, more, pieces, tc } from '../../../../../../test/support/streams/chat.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'

const decodeCalls = (...frames: SseFrame[]): Decoded => decodeFrames([...frames, ...ended()])

describe('which call a piece belongs to', () => {
  test('[field D01] two calls are two parts', () => {
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

  test('[field D03] the index counts, not the place in the list', () => {
    const { calls } = decodeCalls(
      pieces(tc(1, 'b', 'g', '{"b"'), tc(0, 'a', 'f', '{"a"')),
      pieces(more(0, ':1}'), more(1, ':2}')),
    )
    expect(calls).toEqual([
      ['b', 'g', '{"b":2}'],
      ['a', 'f', '{"a":1}'],
    ])
  })

  test('[field D05] an empty id or name on a continuation is none', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x"')),
      pieces(tc(0, '', '', ':1')),
      pieces(tc(0, null, null, '}')),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('[field D07] a new id is a new call although the index repeats', () => {
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

  test('[field D07] a piece without an id goes to the only call of its index that is unfinished', () => {
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

  test('[field D07] where two are unfinished it is not guessed: the stream fails and neither is to be run', () => {
    const { answer, parts } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":')),
      pieces(tc(0, 'b', 'f', '{"x":')),
      pieces(more(0, '1}')),
    )
    expect(answer.finish.reason).toBe('failed')
    expect(answer.error?.message).toContain('Event 3')
    expect(parts.map(part => (part as CallPart).status)).toEqual(['incomplete', 'incomplete'])
  })

  test('[field D07] without ids, another name or other whole arguments are another call', () => {
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
    ['once', '{"x":1}'],
    ['with other blanks', '{ "x": 1 }'],
  ])('[field D09] arguments, id and name that are sent again at the end are heard once (%s)', (_, again) => {
    const { calls, events } = decodeCalls(
      pieces(tc(0, 'a', 'f', '')),
      pieces(more(0, '{"x"')),
      pieces(more(0, ':1}')),
      pieces(tc(0, 'a', 'f', again)),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
    expect(events.filter(({ type }) => type === 'part-delta')).toHaveLength(2)
  })

  test('[field D09] a repetition may come in pieces, and without a name', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'a', 'f', '{"x":1}')),
      pieces(more(0, '{"x"')),
      pieces(more(0, ':1}')),
    )
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('what only begins like a repetition is kept as the model wrote it', () => {
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

  test('wire.md 6 #10: an id on every piece', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', '{"x"')), pieces(tc(0, 'a', null, ':1}')))
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('wire.md 6 #10: an id that changes with every piece keeps its first value', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', '{"x"')), pieces(tc(0, 'b', null, ':1}')))
    expect(calls).toEqual([['a', 'f', '{"x":1}']])
  })

  test('wire.md 6 #10: no index; ids, names and order tell', () => {
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

  test('wire.md 6 #10: the head of a second call under the index of the first', () => {
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

  test('wire.md 6 #10: one id for two calls on two indexes', () => {
    const { calls } = decodeCalls(
      pieces(tc(0, 'f', 'f', '{"x"'), tc(1, 'f', 'f', '{"x"')),
      pieces(tc(0, 'f', null, ':1}'), tc(1, 'f', null, ':2}')),
    )
    expect(calls).toEqual([
      ['f', 'f', '{"x":1}'],
      ['f', 'f', '{"x":2}'],
    ])
  })

  test('[field E11] a name after the arguments: the start waits, and the arguments then come as one delta', () => {
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

  test('a whole call at once, with an object for arguments', () => {
    const { calls } = decodeCalls(pieces(tc(0, 'a', 'f', { x: 1 }), { id: 'b', name: 'g', arguments: '{}' }))
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{}'],
    ])
  })

  test('[field D19] a call without arguments is there', () => {
    expect(
      decodeCalls(pieces({ index: 0, id: 'a', type: 'function', function: { name: 'f' } })).calls,
    ).toEqual([['a', 'f', '']])
  })

  test('a call whose name never comes is kept, and is no call', () => {
    const { parts, answer } = decodeCalls(pieces({ index: 0, id: 'a', function: { arguments: '{}' } }))
    expect(parts).toMatchObject([{ kind: 'opaque', value: { id: 'a', function: { arguments: '{}' } } }])
    expect(answer.finish.reason).toBe('stop')
  })

  test('what stands beside a call, as the signature of a thought, stays with it', () => {
    const google = { google: { thought_signature: 's' } }
    const { parts } = decodeCalls(pieces({ ...tc(0, 'a', 'f', '{}'), extra_content: google }))
    expect(parts[0]?.residue?.entries).toEqual([[['extra_content'], google]])
  })

  test('the old function_call', () => {
    const { calls, parts } = decodeFrames([
      chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      ...ended('function_call'),
    ])
    expect(calls).toEqual([[undefined, 'f', '{"x":1}']])
    expect(parts[0]?.path).toEqual(['choices', 0, 'message', 'function_call'])
  })

  test('custom calls may say the same twice', () => {
    const custom = (input: string) => ({ index: 0, custom: { input } })
    const head = { index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: '{}' } }
    expect(decodeCalls(pieces(head), pieces(custom('{}')), pieces(custom('!'))).calls).toEqual([
      ['a', 'f', '{}{}!'],
    ])
  })
})
