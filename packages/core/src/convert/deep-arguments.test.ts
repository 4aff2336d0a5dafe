/** Arguments that are nested too deeply for JSON.stringify: they are sent as text, or their loss is reported. */
import { expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

const levels = 20_000
const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const called = { id: 'call_1', type: 'function', function: { name: 'w', arguments: deep } }
const notAnObject = ['arguments_not_object']

test('Deep arguments in an answer become text on a wire whose arguments are objects.', () => {
  const message = { role: 'assistant', content: null, tool_calls: [called] }
  const exchange = createExchange({ from: 'messages', to: 'chat' })
  const { value, diagnostics } = exchange.response({ choices: [{ message, finish_reason: 'tool_calls' }] })
  expect(JSON.stringify(value)).toContain(JSON.stringify({ _raw: deep }))
  expect(diagnostics.map(({ code }) => code)).toEqual(notAnObject)
})

test('Deep arguments in a history become text on a wire whose arguments are objects.', () => {
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Done.' },
  ]
  const { value, diagnostics } = createExchange({
    from: 'chat',
    to: 'messages',
    profile: { cachesOnRequest: false },
  }).request({ model: 'm', max_tokens: 100, messages })
  expect(JSON.stringify(value)).toContain(JSON.stringify({ _raw: deep }))
  expect(diagnostics).toMatchObject([{ code: notAnObject[0], path: ['messages', 1, 'tool_calls', 0] }])
})

test('Arguments that are nested less, or only inside strings, stay an object.', () => {
  const argued = (text: string): unknown => {
    const call = { ...called, function: { name: 'w', arguments: text } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const { value } = createExchange({ from: 'messages', to: 'chat' }).response({ choices: [{ message }] })
    return (value.content as JsonObject[])[0]?.input
  }
  for (const text of [
    `{"a":${'['.repeat(500)}${']'.repeat(500)}}`,
    JSON.stringify({ code: `"${'{['.repeat(9_000)}\\` }),
    `{"rows":[${'{"x":[]},'.repeat(2_000)}0]}`,
  ]) {
    expect(argued(text)).toEqual(JSON.parse(text))
  }
})

test('Deep arguments at the start of a streamed block make the call incomplete, with a diagnostic.', () => {
  const events = [
    '{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}',
    `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_1","name":"w","input":${deep}}}`,
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
    '{"type":"message_stop"}',
  ]
  const stream = createExchange({ from: 'responses', to: 'messages' }).stream()
  const text = stream.push(events.map(event => `data: ${event}\n\n`).join('')) + stream.end()
  expect(stream.answer?.output).toMatchObject([{ type: 'function_call', name: 'w', status: 'incomplete' }])
  expect(text).not.toContain('"arguments":"{}"')
  expect(stream.diagnostics).toMatchObject([{ code: 'field_dropped', path: ['content', 0, 'input'] }])
})
