/** Calls whose name or id comes in pieces, late or never, on every pair of wires. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { foldEvents } from '../../packages/core/src/model/fold-events.ts'
import type { StreamEvent } from '../../packages/core/src/model/stream-event.ts'
import { createSseParser } from '../../packages/core/src/sse/sse-parser.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'
import { asking, native, wires } from '../conversation/native.ts'

type Frames = readonly string[]

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const piece = (call: object): string => chunk({ tool_calls: [{ index: 0, ...call }] })
const chatEnd = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`
const named = (name: string, input?: string): object => ({
  function: { name, ...(input !== undefined && { arguments: input }) },
})
const args = (input: string): object => ({ function: { arguments: input } })
const first = { id: 'a', type: 'function' }

const frame = (data: JsonObject): string => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
const usage = { input_tokens: 1, output_tokens: 1 }
const messageStart = frame({ type: 'message_start', message: { ...message, stop_reason: null, usage } })
const blockStart = (block: object): string =>
  frame({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', input: {}, ...block } })
const blockDelta = frame({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
})
const messageEnd =
  frame({ type: 'content_block_stop', index: 0 }) +
  frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage }) +
  frame({ type: 'message_stop' })

const item = { type: 'function_call', id: 'fc_1', arguments: '' }
const created = frame({
  type: 'response.created',
  response: { id: 'resp_1', status: 'in_progress', output: [] },
})
const added = (more: object): string =>
  frame({ type: 'response.output_item.added', output_index: 0, item: { ...item, ...more } })
const itemDelta = frame({
  type: 'response.function_call_arguments.delta',
  item_id: 'fc_1',
  output_index: 0,
  delta: '{"a":1}',
})
const itemEnd = (more?: object): string => {
  const done = { ...item, status: 'completed', arguments: '{"a":1}', ...more }
  const response = { id: 'resp_1', status: 'completed', output: more === undefined ? [] : [done] }
  return (
    (more === undefined ? '' : frame({ type: 'response.output_item.done', output_index: 0, item: done })) +
    frame({ type: 'response.completed', response })
  )
}

const cases: readonly [Wire, string, Frames][] = [
  [
    'chat',
    'name in two pieces',
    [piece({ ...first, ...named('get_') }), piece(named('weather')), piece(args('{"a":1}')), chatEnd],
  ],
  [
    'chat',
    'name in two pieces beside empty arguments',
    [
      piece({ ...first, ...named('get_', '') }),
      piece({ id: 'a', ...named('weather', '') }),
      piece(args('{"a":1}')),
      chatEnd,
    ],
  ],
  [
    'chat',
    'name in two pieces, the last with the arguments',
    [piece({ ...first, ...named('get_', '') }), piece(named('weather', '{"a":1}')), chatEnd],
  ],
  [
    'chat',
    'name in three pieces without an id',
    [piece(named('get')), piece(named('_wea')), piece(named('ther')), piece(args('{"a":1}')), chatEnd],
  ],
  [
    'chat',
    'name that is repeated with what came before',
    [piece({ ...first, ...named('get_') }), piece(named('get_weather')), piece(args('{"a":1}')), chatEnd],
  ],
  [
    'chat',
    'name after the arguments',
    [piece({ ...first, ...args('{"a":1}') }), piece(named('get_weather')), chatEnd],
  ],
  [
    'chat',
    'id after the name',
    [piece(named('get_weather', '')), piece({ id: 'a', ...args('{"a":1}') }), chatEnd],
  ],
  [
    'chat',
    'id in the middle of the arguments',
    [piece(named('get_weather', '{"a"')), piece({ id: 'a', ...args(':1}') }), chatEnd],
  ],
  ['chat', 'no id', [piece(named('get_weather', '{"a":1}')), chatEnd]],
  [
    'messages',
    'name in a second start',
    [
      messageStart,
      blockStart({ id: 'a', name: '' }),
      blockDelta,
      blockStart({ id: 'a', name: 'get_weather' }),
      messageEnd,
    ],
  ],
  ['messages', 'no id', [messageStart, blockStart({ name: 'get_weather' }), blockDelta, messageEnd]],
  [
    'responses',
    'name at the end',
    [created, added({ call_id: 'a' }), itemDelta, itemEnd({ call_id: 'a', name: 'get_weather' })],
  ],
  [
    'responses',
    'no call id',
    [created, added({ name: 'get_weather' }), itemDelta, itemEnd({ name: 'get_weather' })],
  ],
]

const lost: readonly [Wire, string, Frames][] = [
  ['chat', 'never', [piece({ ...first, ...args('{"a":1}') }), chatEnd]],
  ['chat', 'empty', [piece({ ...first, ...named('', '{"a":1}') }), chatEnd]],
  ['messages', 'never', [messageStart, blockStart({ id: 'a' }), blockDelta, messageEnd]],
  ['messages', 'empty', [messageStart, blockStart({ id: 'a', name: '' }), blockDelta, messageEnd]],
  ['messages', 'with a start that never came', [messageStart, blockDelta, messageEnd]],
  ['responses', 'never', [created, added({ call_id: 'a' }), itemDelta, itemEnd({ call_id: 'a' })]],
  [
    'responses',
    'empty',
    [created, added({ call_id: 'a', name: '' }), itemDelta, itemEnd({ call_id: 'a', name: '' })],
  ],
  ['responses', 'with an item that never came', [created, itemDelta, itemEnd()]],
]

/** The answer as a client of the wire reads the stream that an exchange makes of these frames. */
function read(from: Wire, to: Wire, frames: Frames) {
  const exchange = createExchange({ from, to })
  exchange.request({ ...asking(from, 'hi'), stream: true })
  const stream = exchange.stream()
  const text = frames.map(one => stream.push(one)).join('') + stream.end()
  const decoder = builtInConversations[from].createStreamDecoder(() => undefined)
  const events: StreamEvent[] = createSseParser()
    .push(text)
    .flatMap(one => decoder.push(one))
  const answer = foldEvents([...events, ...decoder.end()])
  return { answer, text, diagnostics: stream.diagnostics }
}

const over = (list: readonly [Wire, string, Frames][]) =>
  list.flatMap(([to, what, frames]) =>
    wires.flatMap(from => (from === to ? [] : [[to, what, from, frames] as const])),
  )

describe('calls whose name or id is not where it belongs', () => {
  test.each(over(cases))('A call of %s (%s) is one call for a client of %s.', (to, _, from, frames) => {
    const { answer } = read(from, to, frames)
    expect(answer.finish.reason).toBe('calls')
    const parts = answer.turns.flatMap(turn => turn.parts)
    expect(parts).toMatchObject([{ kind: 'call', name: 'get_weather', input: '{"a":1}' }])
    expect(parts).toMatchObject([{ id: expect.stringMatching(/./) }])
  })

  test.each(over(lost))(
    'A call of %s whose name comes %s is left out for a client of %s, and the answer is incomplete.',
    (to, _, from, frames) => {
      const { answer, text, diagnostics } = read(from, to, frames)
      expect(answer.turns.flatMap(turn => turn.parts)).toEqual([])
      expect(answer.finish.reason).toBe('length')
      expect(text).not.toContain('arguments.done')
      expect(diagnostics.map(({ code }) => code)).toContain('part_dropped')
    },
  )

  test.each(wires.flatMap(to => wires.flatMap(from => (from === to ? [] : [[to, from] as const]))))(
    'A whole answer of %s with a call without a name is incomplete for a client of %s.',
    (to, from) => {
      const body = native(to, { calls: [{ id: 'a', name: '', input: { a: 1 } }] })
      const exchange = createExchange({ from, to })
      exchange.request(asking(from, 'hi'))
      const { value, finish, diagnostics } = exchange.response(body)
      expect(finish).toBe('unfinished')
      const answer = builtInConversations[from].decodeAnswer(value, () => undefined)
      expect(answer.finish.reason).toBe('length')
      expect(diagnostics.map(({ code }) => code)).toContain('part_dropped')
    },
  )
})
