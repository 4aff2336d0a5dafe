/** Arguments that come as a JSON value where the wire has text, in streams of every wire. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { asking, wires } from '../conversation/native.ts'

const frame = (data: JsonObject): string => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`
const input = { at: 1 }

const choice = (delta: object, finish_reason: string | null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: input } }
const chat = `data: ${JSON.stringify(choice({ tool_calls: [call] }, null))}\n\ndata: ${JSON.stringify(choice({}, 'tool_calls'))}\n\ndata: [DONE]\n\n`

const messages = [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  { type: 'message_stop' },
].map(frame)

const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '' }
const responses = (event: JsonObject): string[] =>
  [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { item_id: 'fc_1', output_index: 0, ...event },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } },
  ].map(frame)

const cases: readonly [Wire, string, readonly string[]][] = [
  ['chat', 'a piece of a call', [chat]],
  ['messages', 'a delta', messages],
  ['responses', 'a delta', responses({ type: 'response.function_call_arguments.delta', delta: input })],
  ['responses', 'the end', responses({ type: 'response.function_call_arguments.done', arguments: input })],
]

const foreign = cases.flatMap(([to, what, frames]) =>
  wires.filter(from => from !== to).map(from => [to, what, from, frames] as const),
)

test.each(foreign)(
  'Arguments of %s that are an object in %s reach a client of %s.',
  (to, _, from, frames) => {
    const exchange = createExchange({ from, to })
    exchange.request(asking(from, 'hi'))
    const stream = exchange.stream()
    for (const text of frames) stream.push(text)
    stream.end()
    const arrived = JSON.stringify(stream.answer)
    expect(stream.finish).toBe('calls')
    expect(arrived).toContain(from === 'messages' ? '"input":{"at":1}' : String.raw`"arguments":"{\"at\":1}"`)
  },
)
