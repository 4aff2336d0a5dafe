/** A call of a wrapped custom tool that breaks off anywhere inside its wrapper. */
import { describe, expect, test } from 'vitest'
import { dataOf } from '../../../../../test/support/streams/responses.ts'
import { createExchange } from '../../create-exchange.ts'
import type { Exchange } from '../exchange.ts'

const wrapped = '{ "input" : "*** Begin\\nx" }'
const input = '*** Begin\nx'
const beginnings = Array.from({ length: wrapped.length }, (_, end) => wrapped.slice(0, end))

function open(to: 'chat' | 'messages'): Exchange {
  const exchange = createExchange({ from: 'responses', to })
  exchange.request({ model: 'm', input: 'Patch it.', tools: [{ type: 'custom', name: 'apply_patch' }] })
  return exchange
}

/** What has been written of the input itself. */
function knownOf(text: string): string {
  const inside = /^\{ "input" : "([^"]*)/.exec(text)?.[1] ?? ''
  return inside.replace(/\\$/, '').replace('\\n', '\n')
}

const chatCall = (text: string): string => {
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'apply_patch', arguments: text },
  }
  return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] } }] })}\n\n`
}

const messagesCall = (text: string): string =>
  [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'call_1', name: 'apply_patch', input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } },
  ]
    .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

const cut = { type: 'custom_tool_call', name: 'apply_patch', call_id: 'call_1', status: 'incomplete' }

describe.each([
  ['chat', chatCall],
  ['messages', messagesCall],
] as const)('over %s', (to, streamed) => {
  test('If a stream breaks off, the client gets its custom call with the input so far. [field D25]', () => {
    expect(knownOf(wrapped)).toBe(input)
    for (const text of beginnings) {
      const stream = open(to).stream()
      const told = dataOf(stream.push(streamed(text)) + stream.end())
      const deltas = told.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      expect(deltas.map(({ delta }) => delta).join(''), text).toBe(knownOf(text))
      const item = { ...cut, input: knownOf(text) }
      expect(told.at(-1), text).toMatchObject({ response: { status: 'failed', output: [item] } })
    }
  })
})

test('If an answer reaches its token limit, the client gets its custom call with the input so far.', () => {
  for (const text of beginnings) {
    const call = { id: 'call_1', type: 'function', function: { name: 'apply_patch', arguments: text } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const { value } = open('chat').response({ choices: [{ index: 0, message, finish_reason: 'length' }] })
    expect(value, text).toMatchObject({ status: 'incomplete', output: [{ ...cut, input: knownOf(text) }] })
  }
})

test('If an answer reaches its token limit on a wire whose arguments are objects, the input is empty.', () => {
  const content = [{ type: 'tool_use', id: 'call_1', name: 'apply_patch', input: {} }]
  const { value } = open('messages').response({ type: 'message', content, stop_reason: 'max_tokens' })
  expect(value).toMatchObject({ status: 'incomplete', output: [{ ...cut, input: '' }] })
})

test('Arguments that do not begin like the wrapper are the input itself.', () => {
  for (const text of ['{ patch', '{"inputs', 'in', '{"input":5']) {
    const call = { id: 'call_1', type: 'function', function: { name: 'apply_patch', arguments: text } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const { value } = open('chat').response({ choices: [{ index: 0, message, finish_reason: 'length' }] })
    expect(value, text).toMatchObject({ output: [{ input: text }] })
  }
})
