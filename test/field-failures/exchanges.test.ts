/** Edge cases that a review of complete exchanges found; each one failed before it was fixed. */
import type { ExchangeOptions } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Item = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const fc = (id: string, args: string): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'w',
  arguments: args,
})
const fo = (id: string, output: string): Item => ({ type: 'function_call_output', call_id: id, output })

const ask = (options: ExchangeOptions, body: Item): Item =>
  createExchange(options).request({ model: 'm', max_tokens: 9, ...body }).value as Item

test('A failed Responses answer is an error with a status for clients without failed answers.', () => {
  const failed = {
    id: 'r',
    object: 'response',
    status: 'failed',
    error: { code: 'rate_limit_exceeded', message: 'm' },
    output: [],
  }
  expect(createExchange({ from: 'chat', to: 'responses' }).response(failed).status).toBe(429)
  expect(createExchange({ from: 'messages', to: 'responses' }).response(failed).status).toBe(429)
  expect(createExchange({ from: 'responses', to: 'responses' }).response(failed).status).toBe(200)
})

test('Ids that are used again in a later turn pair within their turns.', () => {
  const input = [user, fc('c0', '{"a":1}'), fo('c0', 'FIRST'), user, fc('c0', '{"a":2}'), fo('c0', 'SECOND')]
  const { messages } = ask({ from: 'responses', to: 'chat' }, { input }) as { messages: Item[] }
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool'])
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    'FIRST',
    'SECOND',
  ])
  const ids = messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)
  expect(new Set(ids).size).toBe(2)
})

test('A legacy history without ids is paired.', () => {
  const messages = [
    user,
    { role: 'assistant', content: null, function_call: { name: 'w', arguments: '{}' } },
    { role: 'function', name: 'w', content: 'x' },
  ]
  const { input } = ask({ from: 'chat', to: 'responses' }, { messages }) as { input: Item[] }
  const [call, output] = input.slice(-2)
  expect(call).toMatchObject({ type: 'function_call', call_id: expect.any(String) })
  expect(output).toMatchObject({ type: 'function_call_output', call_id: call?.call_id, output: 'x' })
})

describe('a wrapped free-text call that is cut short', () => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

  test('A truncated free-text call contains what was written, once, streamed and complete.', () => {
    const exchange = createExchange({ from: 'responses', to: 'chat' })
    exchange.request({ model: 'm', input: 'hi', tools: [{ type: 'custom', name: 'patch' }] })
    const cut = { id: 'a', type: 'function', function: { name: 'patch', arguments: '{"input":"hello wor' } }
    const whole = exchange.response({
      choices: [
        { finish_reason: 'length', message: { role: 'assistant', content: null, tool_calls: [cut] } },
      ],
    })
    expect(whole.value.output).toMatchObject([{ type: 'custom_tool_call', input: 'hello wor' }])
    const stream = exchange.stream()
    const text =
      stream.push(chunk({ role: 'assistant', tool_calls: [{ index: 0, ...cut }] })) +
      stream.push(chunk({}, 'length')) +
      stream.end()
    const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta)
    expect(deltas.join('')).toBe('hello wor')
  })
})

test('A refusal that is only a finish reason is not a completed answer.', () => {
  const refused = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 't' }],
    stop_reason: 'refusal',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  expect(createExchange({ from: 'responses', to: 'messages' }).response(refused).value).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
  })
})

test('Nothing that a client or upstream sends causes an exception.', () => {
  let deep: unknown = 1
  for (let i = 0; i < 9000; i++) deep = [deep]
  const odd = { toString: 1, valueOf: 1 }
  for (const type of [odd, deep]) {
    const stream = createExchange({ from: 'chat', to: 'responses' }).stream()
    stream.push('data: {"type":"response.created","response":{"id":"r","output":[]}}\n\n')
    stream.push('data: {"type":{"toString":1,"valueOf":1}}\n\n')
    stream.end()
    const items = [
      { type },
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { x: deep } },
      { type: 'local_shell_call', call_id: 'd', action: { command: [odd] } },
    ]
    for (const to of ['chat', 'messages'] as const)
      createExchange({ from: 'responses', to }).request({ model: 'm', input: items })
  }
})

test('A failed patch is a failed result.', () => {
  const input = [
    user,
    {
      type: 'apply_patch_call',
      call_id: 'p',
      operation: { type: 'delete_file', path: 'x' },
      status: 'completed',
    },
    { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: 'bad' },
  ]
  expect(JSON.stringify(ask({ from: 'responses', to: 'messages' }, { input }))).toContain('"is_error":true')
})

test('Names of tools that are no longer declared are made legal for the target too.', () => {
  const input = [
    user,
    { type: 'custom_tool_call', call_id: 'a', name: 'p.q', input: 'x' },
    { type: 'custom_tool_call_output', call_id: 'a', output: 'y' },
  ]
  const { messages } = ask({ from: 'responses', to: 'messages' }, { input }) as {
    messages: { content: Item[] }[]
  }
  expect(messages[1]?.content[0]?.name).toMatch(/^[a-zA-Z0-9_-]+$/)
  const go = { type: 'function', name: 'go', parameters: null, strict: false, defer_loading: true }
  const echoed = [user, { ...fc('a', '{}'), name: 'go', namespace: 'go' }, fo('a', '1')]
  expect(
    JSON.stringify(ask({ from: 'responses', to: 'chat' }, { input: echoed, tools: [go] })),
  ).not.toContain('go__go')
})

test('A number that an object cannot hold exactly is reported.', () => {
  const input = [user, fc('a', '{"id":12345678901234567890}'), fo('a', '1')]
  const { diagnostics } = createExchange({ from: 'responses', to: 'messages' }).request({ model: 'm', input })
  expect(diagnostics.map(({ code }) => code)).toContain('number_imprecise')
})
