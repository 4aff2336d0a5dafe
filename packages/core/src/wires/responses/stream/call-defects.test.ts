/** Calls that servers stream against the rules of the wire: they are still read complete, told apart, and only once. */

import { describe, expect, test } from 'vitest'
import {
  added,
  call,
  completed,
  created,
  dataOf,
  decodeFrames,
  deltasOf,
  encodeStream,
  framesOf,
  itemDone,
  partsOf,
  read,
  write,
} from '../../../../../../test/support/streams/responses.ts'
import type { JsonObject } from '../../../json/object.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'

const done = { ...call, arguments: '{"a":1}', status: 'completed' }
/** The joined deltas of each part. */
const saidOf = (events: readonly StreamEvent[]): string[] => {
  const texts: string[] = []
  for (const event of events) {
    if (event.type === 'part-delta') texts[event.index] = (texts[event.index] ?? '') + event.text
  }
  return texts
}
const isWhole = { kind: 'call', id: 'call_1', name: 'w', input: '{"a":1}' }

describe('the calls of a Responses stream', () => {
  test.each<[string, JsonObject[]]>([
    ['the call only in output_item.done [field E03]', [itemDone(done, 0), completed(done)]],
    ['the call only in response.completed [field E03]', [completed(done)]],
    [
      'arguments that are repeated in full [field D09]',
      [added(call, 0), write('{"a"'), write(':1}'), write('{"a":1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'id and name announced twice [field D09]',
      [added(call, 0), write('{"a"'), added(call, 0), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'an empty name that is filled later [field E11]',
      [added({ ...call, name: '' }, 0), write('{"a"'), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'a name only with the complete arguments [field E11]',
      [
        added({ ...call, name: '' }, 0),
        write('{"a":1}'),
        {
          type: 'response.function_call_arguments.done',
          item_id: 'fc_1',
          output_index: 0,
          name: 'w',
          arguments: '{"a":1}',
        },
        completed(done),
      ],
    ],
    [
      'an empty id that is filled later',
      [added({ ...call, call_id: '' }, 0), write('{"a":1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'arguments before the item',
      [write('{"a"'), added(call, 0), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'complete arguments without deltas',
      [
        added(call, 0),
        {
          type: 'response.function_call_arguments.done',
          item_id: 'fc_1',
          output_index: 0,
          arguments: '{"a":1}',
        },
        itemDone(done, 0),
        completed(done),
      ],
    ],
    ['the complete call in its announcement', [added(done, 0), completed()]],
    ['no output_item.done', [added(call, 0), write('{"a":1}'), completed(done)]],
    ['no output_item.done, and an empty output', [added(call, 0), write('{"a":1}'), completed()]],
    ['an empty item at the end', [added(call, 0), write('{"a":1}'), itemDone(call, 0), completed(call)]],
    [
      'deltas with a wrong item id',
      [
        added(call, 0),
        write('{"a"', { item_id: 'x', output_index: 0 }),
        write(':1}', { item_id: 'y', output_index: 0 }),
        itemDone(done, 0),
        completed(done),
      ],
    ],
    [
      'deltas without an index and with a wrong item id',
      [added(call), write('{"a":1}', { item_id: 'x' }), itemDone(done), completed(done)],
    ],
    [
      'deltas without index and item id',
      [added(call), write('{"a"', {}), write(':1}', {}), itemDone(done), completed(done)],
    ],
    [
      'ids that change from event to event',
      [
        added(call, 0),
        write('{"a":1}', { item_id: 'r1', output_index: 0 }),
        itemDone({ ...done, id: 'r2' }, 0),
        completed({ ...done, id: 'r3' }),
      ],
    ],
    [
      'events of the other kind of call',
      [
        added(call, 0),
        { type: 'response.custom_tool_call_input.delta', item_id: 'fc_1', output_index: 0, delta: '{"a":1}' },
        itemDone(done, 0),
        completed(done),
      ],
    ],
    [
      'arguments that are an object',
      [added(call, 0), itemDone({ ...done, arguments: { a: 1 } }, 0), completed()],
    ],
  ])('A call is read once and complete if the stream has %s.', (_, objects) => {
    const { events, diagnostics } = decodeFrames(framesOf(created, ...objects))
    expect(diagnostics).toEqual([])
    expect(partsOf(events)).toMatchObject([isWhole])
    expect(partsOf(events)).toHaveLength(1)
    expect(deltasOf(events).join('')).toBe('{"a":1}')
    expect(events.at(-1)).toMatchObject({ type: 'finish', finish: { reason: 'calls' } })
  })

  test('Arguments that come before the name become one delta.', () => {
    const events = read(
      created,
      added({ ...call, name: '' }, 0),
      write('{"a"'),
      write(':1'),
      added(call, 0),
      write('}'),
    )
    expect(deltasOf(events)).toEqual(['{"a":1', '}'])
    expect(events.find(event => event.type === 'part-start')).toMatchObject({
      part: { name: 'w', input: '' },
    })
  })

  test('A call with another id at the same output index is another call. [field D07]', () => {
    const other = { ...done, id: 'fc_2', call_id: 'call_2', arguments: '{}' }
    const events = read(
      created,
      added(call, 0),
      write('{"a":1}'),
      added({ ...other, arguments: '' }, 0),
      write('{}', { item_id: 'fc_2', output_index: 0 }),
      itemDone(done, 0),
      itemDone(other, 0),
      completed(done, other),
    )
    expect(partsOf(events)).toMatchObject([isWhole, { id: 'call_2', input: '{}' }])
    expect(saidOf(events)).toEqual(['{"a":1}', '{}'])
  })

  test('Two calls with one item id are told apart by their output index.', () => {
    const other = { ...done, call_id: 'call_2', arguments: '{}' }
    const events = read(
      created,
      added(call, 0),
      added({ ...other, arguments: '' }, 1),
      write('{}', { item_id: 'fc_1', output_index: 1 }),
      write('{"a":1}', { item_id: 'fc_1', output_index: 0 }),
      itemDone(done, 0),
      itemDone(other, 1),
      completed(done, other),
    )
    expect(partsOf(events)).toMatchObject([isWhole, { id: 'call_2', input: '{}' }])
    expect(saidOf(events)).toEqual(['{"a":1}', '{}'])
  })

  test('Reasoning and a call at one output index are told apart, and the indexes may have gaps. [field D11] [field E01]', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }] }
    const events = read(
      created,
      added({ type: 'reasoning', id: 'rs_1', summary: [] }, 0),
      itemDone(thought, 0),
      added(call, 0),
      write('{"a":1}'),
      itemDone(done, 0),
      itemDone({ ...done, id: 'fc_9', call_id: 'call_9' }, 7),
      completed(),
    )
    expect(partsOf(events)).toMatchObject([{ kind: 'reasoning' }, isWhole, { id: 'call_9' }])
  })

  test('A call that only the end has is not taken for one that the end lacks. [field E03]', () => {
    const other = { ...done, id: 'fc_2', call_id: 'call_2', arguments: '{}' }
    const events = read(created, added(call, 0), write('{"a":1}'), completed(other))
    expect(partsOf(events)).toMatchObject([isWhole, { id: 'call_2', input: '{}' }])
  })

  test('Items with the same id are written with different ids.', () => {
    const other = { ...done, call_id: 'call_2', arguments: '{}' }
    const { text } = encodeStream(read(created, itemDone(done, 0), itemDone(other, 1), completed()))
    const ids = dataOf(text).flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? [(item as JsonObject).id] : [],
    )
    expect(new Set(ids).size).toBe(2)
  })

  test('A call that never gets a name is reported and dropped.', () => {
    const { events, diagnostics } = decodeFrames(framesOf(created, write('{"a":1}'), completed()))
    expect(partsOf(events)).toEqual([])
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path: ['output', 0] }])
  })

  test('A call that was cut short is incomplete.', () => {
    const cut = { ...call, arguments: '{"a', status: 'incomplete' }
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    for (const output of [[cut], []]) {
      const events = read(created, added(call, 0), write('{"a'), {
        type: 'response.incomplete',
        response: { ...response, output },
      })
      expect(partsOf(events)).toMatchObject([{ input: '{"a', status: 'incomplete' }])
      expect(events.at(-1)).toMatchObject({ finish: { reason: 'length' } })
    }
  })
})
