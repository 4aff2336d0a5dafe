/** Seed 002 as printed: its worked examples, scenarios and tests. */
import { describe, expect, test } from 'vitest'
import { ToolManager } from './index.ts'

const toolManager = new ToolManager({ results: 'tool_result' })

describe('seed 002, the printed tests', () => {
  test('The manager handles a single tool call. [S002.17]', async () => {
    const response = {
      output: [
        { type: 'reasoning', summary: [] },
        { type: 'function_call', name: 'test_tool', arguments: '{}' },
      ],
    }

    const transformed = await toolManager.process(response)
    expect(transformed.tool_calls).toHaveLength(1)
    expect(transformed.tool_calls?.[0]?.function?.name).toBe('test_tool')
    expect(transformed).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: expect.stringMatching(/./),
          type: 'function',
          function: { name: 'test_tool', arguments: '{}' },
        },
      ],
    })
  })

  test('The manager handles parallel tool calls. [S002.17]', async () => {
    const response = {
      output: [
        { type: 'function_call', name: 'tool1', arguments: '{"a":1}' },
        { type: 'function_call', name: 'tool2', arguments: '{"b":2}' },
      ],
    }

    const transformed = await toolManager.process(response)
    expect(transformed.tool_calls).toHaveLength(2)
    expect(transformed.tool_calls?.map(call => call.function)).toEqual([
      { name: 'tool1', arguments: '{"a":1}' },
      { name: 'tool2', arguments: '{"b":2}' },
    ])
    expect(new Set(transformed.tool_calls?.map(({ id }) => id)).size).toBe(2)
  })

  test('The manager maps tool results correctly. [S002.17]', async () => {
    // Simulate complete tool flow
    const call_id = 'call_123'

    // 1. Tool call from API
    const toolCall = { id: call_id, name: 'test', arguments: '{}' }

    // 2. Tool result from client
    const toolResult = { role: 'tool', tool_call_id: call_id, content: '{"result":true}' }

    // 3. Transform for next request
    const transformed = toolManager.transformToolResults([toolResult])

    expect(transformed[0]?.content[0]?.tool_use_id).toBe(call_id)
    expect(toolCall.id).toBe(call_id)
    expect(transformed).toEqual([
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call_id, content: '{"result":true}' }],
      },
    ])
  })
})

describe('seed 002, the worked examples', () => {
  const parameters = {
    type: 'object',
    properties: { location: { type: 'string', description: 'City name' } },
    required: ['location'],
  }
  const nested = {
    type: 'function',
    function: { name: 'get_weather', description: 'Get current weather', parameters },
  }
  const flat = { type: 'function', name: 'get_weather', description: 'Get current weather' }

  test('A definition becomes flat, and its schema stays unchanged. [S002.3] [S002.7] [C2] [C3]', () => {
    const before = JSON.stringify(nested)
    expect(toolManager.transformTools([nested])).toEqual([{ ...flat, strict: false, parameters }])
    expect(JSON.stringify(nested)).toBe(before)
  })

  test('With strict, the schema is as printed, and strict is where the server expects it. [S002.3] [C2] [C3]', () => {
    const strict = new ToolManager({ strict: true })
    expect(strict.transformTools([nested])).toEqual([
      { ...flat, strict: true, parameters: { ...parameters, additionalProperties: false } },
    ])
  })

  const item = {
    id: 'fc_123',
    type: 'function_call',
    name: 'get_weather',
    arguments: '{"location": "New York"}',
    call_id: 'call_abc',
    status: 'completed',
  }
  const call = {
    id: 'call_abc',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"location": "New York"}' },
  }

  test('A function_call item becomes an assistant message. [S002.4] [S002.8]', async () => {
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    expect(await toolManager.process({ output: [item] })).toEqual(message)
    expect(toolManager.processFunctionCalls([item])).toEqual([call])
  })

  const result = {
    role: 'tool',
    content: '{"temperature": 72, "condition": "sunny"}',
    tool_call_id: 'call_abc',
  }

  test('A result is converted to the printed form. [S002.5] [S002.9]', () => {
    expect(toolManager.transformToolResults([result])).toEqual([
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_abc', content: result.content }],
      },
    ])
  })

  test('A result is converted to the form of Responses by default. [S002.9] [C11]', () => {
    const manager = new ToolManager()
    manager.processFunctionCalls([item])
    expect(manager.transformToolResults([result])).toEqual([
      { type: 'function_call_output', call_id: 'call_abc', output: result.content },
    ])
  })
})

describe('seed 002, the scenarios', () => {
  test('Parallel calls are returned in order, each with its own id (scenario 2). [S002.13]', () => {
    const calls = toolManager.processFunctionCalls([
      { type: 'reasoning', summary: [] },
      { type: 'function_call', name: 'get_weather', arguments: '{"location":"NYC"}' },
      { type: 'function_call', name: 'get_weather', arguments: '{"location":"SF"}' },
      { type: 'function_call', name: 'get_time', arguments: '{"timezone":"EST"}' },
    ])
    expect(calls.map(call => call.function)).toEqual([
      { name: 'get_weather', arguments: '{"location":"NYC"}' },
      { name: 'get_weather', arguments: '{"location":"SF"}' },
      { name: 'get_time', arguments: '{"timezone":"EST"}' },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  test('Text and calls are in one message (scenario 3). [S002.14]', async () => {
    const message = await toolManager.process({
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'Let me check the weather...' }] },
        { type: 'function_call', name: 'get_weather', arguments: '{}' },
      ],
    })
    expect(message).toMatchObject({
      role: 'assistant',
      content: 'Let me check the weather...',
      tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    })
  })

  const error = Object.assign(new Error('No such city'), { tool_call_id: 'call_abc', code: 'NOT_FOUND' })
  const content = JSON.stringify({ error: true, message: 'No such city', code: 'NOT_FOUND' })

  test('A failed call becomes a result that reports the failure (scenario 4). [S002.15]', () => {
    expect(toolManager.handleFailedToolCall(error)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_abc', content }],
    })
  })

  test('A failed call has no status in the form of Responses, which would refuse it. [S002.15] [C11] [C15]', () => {
    expect(new ToolManager().handleFailedToolCall(error)).toEqual({
      type: 'function_call_output',
      call_id: 'call_abc',
      output: content,
    })
  })

  test('The token formula returns the base if there are no tools. [S002.11]', () => {
    const tools = (count: number) => Array.from({ length: count }, () => ({}))
    expect(toolManager.calculateToolTokens([], 4000)).toBe(4000)
    expect(toolManager.calculateToolTokens(undefined, 4000)).toBe(4000)
    expect(toolManager.calculateToolTokens(tools(1), 4000)).toBe(15000)
    expect(toolManager.calculateToolTokens(tools(2), 20000)).toBe(40000)
    expect(toolManager.calculateToolTokens(tools(9), 10000)).toBe(24000)
  })
})
