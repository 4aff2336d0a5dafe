/** Calls as hosts get them wrong in a stream: they are still read whole, told apart, and never taken for more. */
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
/** What was said of each part, in pieces. */
const saidOf = (events: readonly StreamEvent[]): string[] => {
  const said: string[] = []
  for (const event of events) {
    if (event.type === 'part-delta') said[event.index] = (said[event.index] ?? '') + event.text
  }
  return said
}
const isWhole = { kind: 'call', id: 'call_1', name: 'w', input: '{"a":1}' }

describe('calls', () => {
  test.each<[string, JsonObject[]]>([
    ['[field E03] a call only in output_item.done', [itemDone(done, 0), completed(done)]],
    ['[field E03] a call only in response.completed', [completed(done)]],
    [
      '[field D09] arguments sent once more in full',
      [added(call, 0), write('{"a"'), write(':1}'), write('{"a":1}'), itemDone(done, 0), completed(done)],
    ],
    [
      '[field D09] id and name announced twice',
      [added(call, 0), write('{"a"'), added(call, 0), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      '[field E11] an empty name that is given later',
      [added({ ...call, name: '' }, 0), write('{"a"'), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      '[field E11] a name given with the arguments',
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
      'an empty id that is given later',
      [added({ ...call, call_id: '' }, 0), write('{"a":1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'arguments before the item',
      [write('{"a"'), added(call, 0), write(':1}'), itemDone(done, 0), completed(done)],
    ],
    [
      'done without deltas',
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
    ['a whole call in its announcement', [added(done, 0), completed()]],
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
      'deltas without index, with a wrong item id',
      [added(call), write('{"a":1}', { item_id: 'x' }), itemDone(done), completed(done)],
    ],
    [
      'deltas without any name',
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
  ])('%s', (_, objects) => {
    const { events, diagnostics } = decodeFrames(framesOf(created, ...objects))
    expect(diagnostics).toEqual([])
    expect(partsOf(events)).toMatchObject([isWhole])
    expect(partsOf(events)).toHaveLength(1)
    expect(deltasOf(events).join('')).toBe('{"a":1}')
    expect(events.at(-1)).toMatchObject({ type: 'finish', finish: { reason: 'calls' } })
  })

  test('what was written before the name was known comes as one delta', () => {
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

  test('[field D07] a place used again by a call of another id is another call', () => {
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

  test('one item id for two calls, told apart by place', () => {
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

  test('[field D11] [field E01] reasoning and call at one place are told apart, and places may have gaps', () => {
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

  test('[field E03] a call that only the end tells of is not taken for one that the end forgets', () => {
    const other = { ...done, id: 'fc_2', call_id: 'call_2', arguments: '{}' }
    const events = read(created, added(call, 0), write('{"a":1}'), completed(other))
    expect(partsOf(events)).toMatchObject([isWhole, { id: 'call_2', input: '{}' }])
  })

  test('items of one id are written under ids of their own', () => {
    const other = { ...done, call_id: 'call_2', arguments: '{}' }
    const { text } = encodeStream(read(created, itemDone(done, 0), itemDone(other, 1), completed()))
    const ids = dataOf(text).flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? [(item as JsonObject).id] : [],
    )
    expect(new Set(ids).size).toBe(2)
  })

  test('a call that never gets a name is reported, not invented', () => {
    const { events, diagnostics } = decodeFrames(framesOf(created, write('{"a":1}'), completed()))
    expect(partsOf(events)).toEqual([])
    expect(diagnostics).toMatchObject([{ code: 'part_dropped', path: ['output', 0] }])
  })

  test('a call that was cut short is not complete', () => {
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
