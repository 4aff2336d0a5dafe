/** Tools of one name, tools in two shapes, and lists that are empty. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { crossings, functionsOf, open, requestFor, toolFor } from './calls.test-helper.ts'

const a = { type: 'object', properties: { a: { type: 'string' } } }
const b = { type: 'object', properties: { b: { type: 'string' } } }

describe.each(crossings)('from %s to %s', (from, to) => {
  const convert = (fields: object) => {
    const { value, diagnostics } = open({ from, to }).request(requestFor(from, fields))
    return { value, diagnostics, tools: functionsOf(to, value), codes: diagnostics.map(({ code }) => code) }
  }

  test('Identical tools are sent once.', () => {
    const { tools, codes, diagnostics } = convert({
      tools: [toolFor(from, 'f', a), toolFor(from, 'f', { ...a })],
    })
    expect(tools).toHaveLength(1)
    expect(codes).toContain('duplicate_tool_removed')
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('Different tools of one name are an error that names both.', () => {
    const tools = [toolFor(from, 'f', a), toolFor(from, 'g', a), toolFor(from, 'f', b)]
    const error = convert({ tools }).diagnostics.find(({ severity }) => severity === 'error')
    expect(error).toMatchObject({ code: 'duplicate_tool_name' })
    expect(error?.message).toContain('tools[0] and tools[2]')
  })

  test('A tool in two shapes is read in the shape of its wire.', () => {
    const flat = { name: 'flat', description: 'd', parameters: a, input_schema: a }
    const both = { type: 'function', ...flat, function: { name: 'nested', description: 'd', parameters: b } }
    const { tools, codes } = convert({ tools: [both] })
    const expected = from === 'chat' ? { name: 'nested', parameters: b } : { name: 'flat', parameters: a }
    expect(tools).toEqual([expected])
    expect(codes).toContain('mixed_shape')
    expect(codes).toContain('field_dropped')
  })

  test('Two shapes that say the same lose nothing.', () => {
    const fields = { name: 'f', description: 'd', parameters: a }
    const { tools, diagnostics } = convert({ tools: [{ type: 'function', ...fields, function: fields }] })
    expect(tools).toEqual([{ name: 'f', parameters: a }])
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('An empty list of tools is none.', () => {
    const { value, diagnostics } = convert({ tools: [] })
    expect(value).not.toHaveProperty('tools')
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
})

test.each(['chat', 'responses', 'messages'] as const)(
  'On %s itself a tool in two shapes stays as it is.',
  wire => {
    const fields = { name: 'f', description: 'd', parameters: a, input_schema: b }
    const both = {
      ...fields,
      function: { ...fields, parameters: b },
      ...(wire !== 'messages' && { type: 'function' }),
    }
    const body = requestFor(wire, { tools: [both] })
    expect(open({ from: wire, to: wire }).request(body).value).toEqual(body)
  },
)

describe.each(['responses', 'messages'] as const)('from chat to %s', to => {
  const convert = (message: JsonObject) =>
    open({ from: 'chat', to }).request({
      model: 'm',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', ...message },
        { role: 'user', content: 'c' },
      ],
    })

  test('An empty "tool_calls" and a "function_call" without a name are no calls.', () => {
    const plain = convert({})
    expect(convert({ tool_calls: [] })).toEqual(plain)
    expect(convert({ function_call: { name: '', arguments: '' } })).toEqual(plain)
    expect(convert({ tool_calls: null, function_call: null }).value).toEqual(plain.value)
  })

  test('A choice by "function_call" without a name is none.', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'a' }] }
    const plain = open({ from: 'chat', to }).request(body)
    expect(open({ from: 'chat', to }).request({ ...body, function_call: { name: '' } })).toEqual(plain)
  })

  test('An answer with a "function_call" without a name has no call, whole and streamed.', () => {
    const message = { role: 'assistant', content: 'hi', function_call: { name: '', arguments: '' } }
    const exchange = open({ from: to, to: 'chat' })
    exchange.request(requestFor(to, {}))
    const whole = exchange.response({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    expect(JSON.stringify(whole.value)).not.toMatch(/tool_use"|function_call"/)
    const stream = exchange.stream()
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const text = stream.push(`${chunk(message, null)}${chunk({}, 'stop')}data: [DONE]\n\n`) + stream.end()
    expect(text).not.toMatch(/tool_use"|function_call"/)
    expect(text).toContain('hi')
  })
})
