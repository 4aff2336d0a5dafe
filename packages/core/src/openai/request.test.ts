import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { OpenAITool } from './index.ts'
import { convertToOpenAIRequest, convertToolsToOpenAIFormat } from './index.ts'

const read = {
  type: 'function',
  function: { name: 'read', description: 'Reads', strict: false, parameters: {} },
}
const messages = [{ role: 'user', content: 'hi' }]

describe('convertToOpenAIRequest', () => {
  test('convertToOpenAIRequest converts the tools and nothing else. [S001.10] [S001.3]', () => {
    const tools = [read, { type: 'local_shell' }]
    const request = { model: 'm', messages, tools, temperature: 0 }
    const before = structuredClone(request)
    const converted = convertToOpenAIRequest(request)
    expectTypeOf(converted.tools).toEqualTypeOf<OpenAITool[] | undefined>()
    expectTypeOf(converted.model).toBeString()
    expect(converted).toEqual({
      model: 'm',
      messages,
      tools: convertToolsToOpenAIFormat(tools),
      temperature: 0,
    })
    expect(Object.keys(converted)).toEqual(Object.keys(request))
    expect(converted.messages).toBe(messages)
    expect(request).toEqual(before)
  })

  test('A request without tools stays without tools. [S001.10]', () => {
    expect(convertToOpenAIRequest({ model: 'm', messages })).toEqual({ model: 'm', messages })
    expect('tools' in convertToOpenAIRequest({ model: 'm' })).toBe(false)
    expect(convertToOpenAIRequest({ tools: undefined }).tools).toBeUndefined()
    expect(convertToOpenAIRequest({ tools: null }).tools).toBeUndefined()
  })

  test.each<[given: unknown, wanted: unknown]>([
    ['auto', 'auto'],
    ['required', 'required'],
    [
      { type: 'function', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
    [
      { type: 'function', function: { name: 'read' } },
      { type: 'function', function: { name: 'read' } },
    ],
    [{ type: 'web_search' }, { type: 'function', function: { name: 'web_search' } }],
    [
      { type: 'custom', custom: { name: 'patch' } },
      { type: 'function', function: { name: 'patch' } },
    ],
  ])('The choice %j is converted.', (given, wanted) => {
    const tools = [read, { type: 'web_search' }, { type: 'custom', custom: { name: 'patch' } }]
    expect(convertToOpenAIRequest({ tools, tool_choice: given }).tool_choice).toEqual(wanted)
  })

  test('The setting parallel_tool_calls is kept, and never added. [C17]', () => {
    expect(convertToOpenAIRequest({ tools: [read], parallel_tool_calls: false }).parallel_tool_calls).toBe(
      false,
    )
    const converted = convertToOpenAIRequest({ tools: [read] })
    expect(Object.keys(converted)).toEqual(['tools'])
  })

  test('A choice of a dropped tool is reported and left out.', () => {
    const said: Diagnostic[] = []
    const converted = convertToOpenAIRequest(
      { tools: [read, null], tool_choice: { type: 'file_search' } },
      { onDiagnostic: diagnostic => void said.push(diagnostic) },
    )
    expect(converted).not.toHaveProperty('tool_choice')
    expect(said.map(({ code, path }) => [code, path])).toEqual([
      ['invalid_tool', ['tools', 1]],
      ['tool_dropped', ['tools', 1]],
      ['parameters_defaulted', ['tools', 0, 'function', 'parameters']],
      ['tool_choice_undeclared', ['tool_choice']],
    ])
  })

  test('An invalid tool throws only with onInvalid: throw.', () => {
    expect(() => convertToOpenAIRequest({ tools: [{ type: 'function' }] }, { onInvalid: 'throw' })).toThrow(
      'Tool must have function.name',
    )
    expect(convertToOpenAIRequest({ tools: [{ type: 'function' }] }).tools).toEqual([])
  })

  test('A value that is not a request, or tools that are not a list, are reported.', () => {
    const said: string[] = []
    const onDiagnostic = ({ code, path }: Diagnostic): void => void said.push([code, ...path].join(' '))
    expect(convertToOpenAIRequest([], { onDiagnostic })).toEqual({})
    expect(convertToOpenAIRequest({ tools: 'all' }, { onDiagnostic }).tools).toEqual([])
    expect(said).toEqual(['invalid_request', 'not_a_list tools'])
  })
})
