/** What other bridges got wrong with answers that are not streamed; each test names the failure it repeats. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Item = Record<string, unknown>

const call = (id: string, args = '{}'): Item => ({
  id,
  type: 'function',
  function: { name: 'w', arguments: args },
})

function chatAnswer(message: Item, finish_reason: string, more: Item = {}): Item {
  const choices = [
    {
      index: 0,
      finish_reason,
      logprobs: null,
      message: { role: 'assistant', content: null, refusal: null, ...message },
    },
  ]
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, ...more }
}

const answer = (
  from: 'chat' | 'responses' | 'messages',
  to: 'chat' | 'responses' | 'messages',
  body: Item,
): Item => createExchange({ from, to }).response(body).value as Item

describe('calls', () => {
  test('Calls arrive as items, completed. [field C01] [S002.2]', () => {
    const { output, status } = answer(
      'responses',
      'chat',
      chatAnswer({ tool_calls: [call('a'), call('b')] }, 'tool_calls'),
    )
    expect(status).toBe('completed')
    expect(output).toMatchObject([
      { type: 'function_call', call_id: 'a', status: 'completed' },
      { type: 'function_call', call_id: 'b', status: 'completed' },
    ])
    const use = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'tool_use', id: 't', name: 'w', input: { a: 1 } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    expect(answer('responses', 'messages', use).output).toMatchObject([
      { type: 'function_call', call_id: 't', arguments: '{"a":1}' },
    ])
  })

  test('A wrong finish reason is corrected from the calls. [field C03] [C13]', () => {
    const body = chatAnswer({ tool_calls: [call('a')] }, 'stop')
    expect(answer('messages', 'chat', body).stop_reason).toBe('tool_use')
  })

  test('A truncated call is incomplete on every wire. [field C05] [C15]', () => {
    const body = chatAnswer({ tool_calls: [call('a', '{"file":"x"}')] }, 'length')
    expect(answer('responses', 'chat', body)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'function_call', status: 'incomplete' }],
    })
    expect(answer('messages', 'chat', body).stop_reason).toBe('max_tokens')
  })

  test('The order of text and calls is kept if the wire has one. [field C07] [S002.14]', () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'tool_use', id: 't', name: 'w', input: {} },
      { type: 'text', text: 'two' },
    ]
    const body = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    expect((answer('responses', 'messages', body).output as Item[]).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })

  test('A bundle of calls is expanded if every tool in it is declared. [field C15]', () => {
    const tools = [{ type: 'function', name: 'w', parameters: null, strict: false }]
    const bundle = JSON.stringify({
      tool_uses: [
        { recipient_name: 'functions.w', parameters: { a: 1 } },
        { recipient_name: 'w', parameters: {} },
      ],
    })
    const parallel = chatAnswer(
      { tool_calls: [{ id: 'p', type: 'function', function: { name: 'parallel', arguments: bundle } }] },
      'tool_calls',
    )
    const exchange = createExchange({ from: 'responses', to: 'chat' })
    exchange.request({ model: 'm', input: 'hi', tools })
    const { output } = exchange.response(parallel).value as { output: Item[] }
    expect(output.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['w', '{"a":1}'],
      ['w', '{}'],
    ])
    expect(new Set(output.map(({ call_id }) => call_id)).size).toBe(2)
    const unknown = createExchange({ from: 'responses', to: 'chat' }).response(parallel).value as {
      output: Item[]
    }
    expect(unknown.output).toMatchObject([{ name: 'parallel' }])
  })
})

test('Two calls with one id get different ids, and a call without arguments gets an empty object.', () => {
  const body = chatAnswer({ tool_calls: [call('call_0', ''), call('call_0')] }, 'tool_calls')
  const exchange = createExchange({ from: 'responses', to: 'chat' })
  const { value, diagnostics } = exchange.response(body)
  expect(value.output).toMatchObject([
    { call_id: 'call_0', arguments: '{}' },
    { call_id: 'call_0_2', arguments: '{}' },
  ])
  expect(diagnostics.map(({ code }) => code)).toContain('call_id_rewritten')
})

describe('the envelope', () => {
  test('A Responses answer has an id and always has usage details. [field C09] [field C11]', () => {
    const bare = answer(
      'responses',
      'chat',
      chatAnswer({ content: 'hi' }, 'stop', {
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      }),
    )
    expect(bare.object).toBe('response')
    expect(bare.usage).toMatchObject({
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    })
    expect(answer('responses', 'chat', chatAnswer({ content: 'hi' }, 'stop')).usage).toBeNull()
  })

  test('A Responses answer always has the 31 keys of Open Responses.', () => {
    const keys = [
      'id',
      'object',
      'created_at',
      'completed_at',
      'status',
      'incomplete_details',
      'model',
      'previous_response_id',
      'instructions',
      'output',
      'error',
      'tools',
      'tool_choice',
      'truncation',
      'parallel_tool_calls',
      'text',
      'top_p',
      'presence_penalty',
      'frequency_penalty',
      'top_logprobs',
      'temperature',
      'reasoning',
      'usage',
      'max_output_tokens',
      'max_tool_calls',
      'store',
      'background',
      'service_tier',
      'metadata',
      'safety_identifier',
      'prompt_cache_key',
    ]
    expect(keys).toHaveLength(31)
    for (const body of [chatAnswer({ content: 'hi' }, 'stop'), chatAnswer({ refusal: 'no' }, 'stop')]) {
      expect(Object.keys(answer('responses', 'chat', body))).toEqual(expect.arrayContaining(keys))
    }
  })
})

test('Calls are restored to the tools that the client declared.', () => {
  const tools = [
    { type: 'custom', name: 'apply_patch' },
    {
      type: 'namespace',
      name: 'mcp__demo',
      description: 'd',
      tools: [{ type: 'function', name: 'search', parameters: null, strict: false }],
    },
  ]
  const exchange = createExchange({ from: 'responses', to: 'chat' })
  exchange.request({ model: 'm', input: 'hi', tools })
  const calls = [
    { id: 'a', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** Begin\\n"}' } },
    { id: 'b', type: 'function', function: { name: 'mcp__demo__search', arguments: '{}' } },
  ]
  const { output } = exchange.response(chatAnswer({ tool_calls: calls }, 'tool_calls')).value as {
    output: Item[]
  }
  expect(output).toMatchObject([
    { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin\n' },
    { type: 'function_call', call_id: 'b', name: 'search', namespace: 'mcp__demo' },
  ])
})

test('Calls of hosted tools are restored to the items that the client runs. [C9]', () => {
  const search = {
    type: 'tool_search',
    execution: 'client',
    description: 'Finds',
    parameters: { type: 'object', properties: {} },
  }
  const exchange = createExchange({ from: 'responses', to: 'chat' })
  exchange.request({
    model: 'm',
    input: 'hi',
    tools: [{ type: 'local_shell' }, { type: 'apply_patch' }, search],
  })
  const fn = (id: string, name: string, args: object): Item => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })
  const calls = [
    fn('a', 'local_shell', { command: 'ls -l' }),
    fn('b', 'apply_patch', { type: 'delete_file', path: 'x' }),
    fn('c', 'tool_search', { query: 'q' }),
  ]
  const { output } = exchange.response(chatAnswer({ tool_calls: calls }, 'tool_calls')).value as {
    output: Item[]
  }
  expect(output).toMatchObject([
    { type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['bash', '-lc', 'ls -l'] } },
    { type: 'apply_patch_call', call_id: 'b', operation: { type: 'delete_file', path: 'x' } },
    { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'q' } },
  ])
})
