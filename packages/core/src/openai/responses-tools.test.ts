import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import type { JsonSchema, ResponsesApiTool, ToolDefinition, ToolFormatOptions } from './index.ts'
import { createToolsJsonForResponsesApi, InvalidToolError, toolSchemasForOpenAI } from './index.ts'

/** The converted tools and the codes of what was said about them, each with its path. */
function convert(tools: unknown, options: ToolFormatOptions = {}) {
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic)
  const output = createToolsJsonForResponsesApi(tools, { ...options, onDiagnostic })
  return { output, said: diagnostics.map(({ code, path }) => [code, path.join('.')].join(' ')) }
}

const named = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, description: `Does ${name}`, parameters: { type: 'object', properties: {} }, ...more },
})

const browserDom: ToolDefinition = {
  type: 'function',
  function: {
    name: 'browser_dom',
    description: 'Interact with DOM elements - comprehensive DOM operations',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        action: {
          type: 'string',
          description: 'The DOM action to perform',
          enum: ['query', 'click', 'type'],
        },
        selector: { type: 'string', description: 'CSS selector to target elements' },
      },
      required: ['action'],
    },
  },
}

describe('seed 000, the rules', () => {
  test('The worked example becomes flat, byte for byte. [S000.1] [S000.2] [S000.6] [S000.7] [S000.8]', () => {
    const [tool] = createToolsJsonForResponsesApi([browserDom])
    const { name, description, strict, parameters } = browserDom.function
    expect(JSON.stringify(tool)).toBe(
      JSON.stringify({ type: 'function', name, description, strict, parameters }),
    )
  })

  test('The converter takes what a registry creates and returns what the API accepts. [S000.3]', () => {
    const registry = new ToolRegistry([browserDom])
    const created = toolSchemasForOpenAI(['browser_dom'], registry)
    expect(createToolsJsonForResponsesApi(created)).toEqual(createToolsJsonForResponsesApi([browserDom]))
  })

  test('The exported types have the specified fields. [S000.4] [S000.5] [S000.13]', () => {
    expectTypeOf<ToolDefinition>().toEqualTypeOf<{
      type: 'function'
      function: { name: string; description: string; strict?: boolean; parameters: JsonSchema }
    }>()
    expectTypeOf<ResponsesApiTool>().toEqualTypeOf<{
      type: 'function'
      name: string
      description: string
      strict?: boolean
      parameters: JsonSchema
    }>()
    const output = createToolsJsonForResponsesApi([browserDom])
    expectTypeOf(output).toEqualTypeOf<ResponsesApiTool[]>()
    expect(output).toHaveLength(1)
  })

  test('An absent strict is left out on request, and an explicit one never. [S000.10] [C1]', () => {
    const tools = [
      named('a'),
      named('b', { strict: null }),
      named('c', { strict: false }),
      named('d', { strict: true }),
    ]
    const strictOf = (options: ToolFormatOptions) =>
      createToolsJsonForResponsesApi(tools, options).map(tool => ('strict' in tool ? tool.strict : 'absent'))
    expect(strictOf({ strict: 'omit' })).toEqual(['absent', 'absent', false, true])
    expect(strictOf({})).toEqual([false, false, false, true])
    expect(strictOf({ strict: 'preserve' })).toEqual([false, false, false, true])
  })

  test('A schema is made strict only on request. [C1]', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: [] }
    const [plain] = createToolsJsonForResponsesApi([named('a', { parameters })])
    expect(plain).toMatchObject({ strict: false, parameters })
    const [strict] = createToolsJsonForResponsesApi([named('a', { parameters })], { strict: 'strictify' })
    expect(strict).toMatchObject({
      strict: true,
      parameters: { required: ['a'], additionalProperties: false },
    })
  })

  test.each<[rule: string, code: string, invalid: unknown]>([
    ['Tool type must be "function"', 'unknown_type', { type: 'invalid' }],
    ['Tool type must be "function"', 'unknown_type', { function: { name: 'a', description: 'b' } }],
    ['Tool type must be "function"', 'unknown_type', {}],
    ['Tool type must be "function"', 'invalid_tool', null],
    ['Tool type must be "function"', 'invalid_tool', 'tool'],
    ['Tool must have function.name', 'missing_name', { type: 'function' }],
    ['Tool must have function.name', 'missing_name', named('')],
    [
      'Tool must have function.name',
      'missing_name',
      { type: 'function', function: { name: 7, description: 'b' } },
    ],
    ['Tool must have function.description', 'missing_description', named('a', { description: '' })],
    ['Tool must have function.description', 'missing_description', named('a', { description: 7 })],
    ['Tool must have valid function.parameters', 'parameters_not_object', named('a', { parameters: 5 })],
    ['Tool must have valid function.parameters', 'parameters_not_object', named('a', { parameters: 'x' })],
    ['Tool must have valid function.parameters', 'parameters_not_object', named('a', { parameters: [1] })],
    ['Tool must have valid function.parameters', 'parameters_not_object', named('a', { parameters: true })],
    [
      'Tool must have valid function.parameters',
      'parameters_not_object',
      { type: 'function', name: 'flat', description: 'd', parameters: 'x' },
    ],
  ])(
    'The converter throws %s (%s) on request, and otherwise drops %j. [S000.11] [S000.12] [C5]',
    (rule, code, invalid) => {
      const tools = [named('fine'), invalid]
      const throwing = () => createToolsJsonForResponsesApi(tools, { onInvalid: 'throw' })
      expect(throwing).toThrow(rule)
      expect(throwing).toThrow(InvalidToolError)
      expect(throwing).toThrowError(
        expect.objectContaining({ code, index: 1, message: `${rule} (at index 1)` }),
      )
      const { output, said } = convert(tools)
      expect(output.map(tool => tool.name)).toEqual(['fine'])
      expect(said.map(line => line.split(' ')[0])).toContain(code)
      expect(said).toContain('tool_dropped 1')
    },
  )

  test('Parameters that are not a schema are reported once, with their path. [S000.11]', () => {
    expect(convert([named('a', { parameters: 5 })])).toEqual({
      output: [],
      said: ['parameters_not_object 0.function.parameters', 'tool_dropped 0'],
    })
    const { output } = convert([named('a', { parameters: { type: 'string' } })])
    expect(output).toHaveLength(1)
  })

  test('The converter throws for the first of several invalid tools, after reporting all. [C5]', () => {
    const said: string[] = []
    const tools = [named('a'), null, { type: 'function' }]
    const options = {
      onInvalid: 'throw',
      onDiagnostic: ({ code }: Diagnostic) => void said.push(code),
    } as const
    expect(() => createToolsJsonForResponsesApi(tools, options)).toThrowError(
      expect.objectContaining({ index: 1, code: 'invalid_tool' }),
    )
    expect(said).toEqual(['invalid_tool', 'tool_dropped', 'missing_name', 'tool_dropped'])
  })

  test('The converter is pure: it repeats its result, keeps its input and prints nothing. [S000.13] [C6]', () => {
    const tools = [browserDom, named('b', { parameters: { type: 'object', strict: true } }), null]
    const before = JSON.stringify(tools)
    const methods = ['log', 'info', 'warn', 'error', 'debug'] as const
    const printed = methods.map(method => vi.spyOn(console, method))
    expect(createToolsJsonForResponsesApi(tools)).toEqual(createToolsJsonForResponsesApi(tools))
    expect(JSON.stringify(tools)).toBe(before)
    const frozen = Object.freeze([
      Object.freeze({ ...browserDom, function: Object.freeze(browserDom.function) }),
    ])
    expect(createToolsJsonForResponsesApi(frozen)).toHaveLength(1)
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled()
      spy.mockRestore()
    }
  })

  test.each([undefined, null, {}, 'tools', 0])('The value %j has no tools. [S000.14]', tools => {
    expect(createToolsJsonForResponsesApi(tools)).toEqual([])
  })

  test('Values that are not tools are dropped and reported. [S000.15] [S000.16] [S000.19] [S000.29]', () => {
    const { output, said } = convert([null, undefined, 'x', { type: 'function', function: {} }, named('a')])
    expect(output.map(tool => tool.name)).toEqual(['a'])
    expect(said.filter(line => line.startsWith('tool_dropped'))).toEqual([
      'tool_dropped 0',
      'tool_dropped 1',
      'tool_dropped 2',
      'tool_dropped 3',
    ])
    expect(said).toContain('missing_name 3.function.name')
  })

  test('A hole in the list counts as a missing tool. [S000.15]', () => {
    const tools = [named('a'), named('b')]
    delete tools[0]
    const { output, said } = convert(tools)
    expect(output.map(tool => tool.name)).toEqual(['b'])
    expect(said).toEqual(['invalid_tool 0', 'tool_dropped 0'])
  })

  test.each([[{}], [null], [undefined]])(
    'Empty parameters are filled in for %j. [S000.17] [C23]',
    parameters => {
      const { output, said } = convert([named('a', { parameters })])
      expect(output[0]?.parameters).toEqual({ type: 'object', properties: {} })
      expect(said).toEqual(['parameters_defaulted 0.function.parameters'])
    },
  )

  test('Tools that Responses defines by type stay verbatim. [S000.18] [C7]', () => {
    const hosted = [
      { type: 'local_shell' },
      { type: 'web_search', search_context_size: 'low', user_location: null },
      { type: 'file_search', vector_store_ids: ['vs_1'] },
      { type: 'mcp', server_label: 's', server_url: 'https://example.com', require_approval: 'never' },
      { type: 'custom', name: 'patch', format: { type: 'text' }, allowed_callers: ['direct'] },
      {
        type: 'namespace',
        name: 'n',
        description: 'd',
        tools: [{ type: 'function', name: 'x', parameters: {} }],
      },
    ]
    const { output, said } = convert([hosted[0], named('a'), ...hosted.slice(1)])
    expect(output.map(tool => tool.type)).toEqual([
      'local_shell',
      'function',
      ...hosted.slice(1).map(t => t.type),
    ])
    expect(JSON.stringify(output.filter(tool => tool.type !== 'function'))).toBe(JSON.stringify(hosted))
    expect(said).toEqual([])
    expect(createToolsJsonForResponsesApi(hosted, { onInvalid: 'throw' })).toEqual(hosted)
  })

  test('A custom tool is written flat, without a nested function. [S000.24] [C8]', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }
    const { output } = convert([
      { type: 'custom', custom: { name: 'patch', description: 'Patches', format } },
    ])
    expect(output).toEqual([
      {
        type: 'custom',
        name: 'patch',
        description: 'Patches',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
    ])
  })

  test('A missing description is allowed on request. [C4]', () => {
    const [tool] = createToolsJsonForResponsesApi([{ type: 'function', function: { name: 'a' } }], {
      requireDescription: false,
    })
    expect(tool).toEqual({
      type: 'function',
      name: 'a',
      strict: false,
      parameters: { type: 'object', properties: {} },
    })
  })

  test('A misplaced strict is reported, removed from the schema, and honoured only on request. [C2]', () => {
    const inSchema = named('a', {
      parameters: { type: 'object', strict: true, properties: { strict: { type: 'string' } } },
    })
    const beside = { ...named('b'), strict: true }
    const { output, said } = convert([inSchema, beside])
    expect(output[0]).toMatchObject({ strict: false })
    expect(output[0]?.parameters).toEqual({ type: 'object', properties: { strict: { type: 'string' } } })
    expect(output[1]).toEqual({ ...createToolsJsonForResponsesApi([named('b')])[0] })
    expect(said).toEqual(['misplaced_strict 0.function.parameters.strict', 'misplaced_strict 1.strict'])
    const honoured = createToolsJsonForResponsesApi([inSchema, beside], { misplacedStrict: 'honour' })
    expect(honoured.map(tool => tool.strict)).toEqual([true, true])
    expect(honoured[0]?.parameters).not.toHaveProperty('strict')
  })

  test('Flat tools are accepted, so that converting twice changes nothing.', () => {
    const once = createToolsJsonForResponsesApi([browserDom, named('b', { strict: true })])
    expect(createToolsJsonForResponsesApi(once)).toEqual(once)
    const flat = {
      type: 'function',
      name: 'a',
      description: 'b',
      strict: null,
      parameters: null,
      output_schema: {},
    }
    expect(createToolsJsonForResponsesApi([flat])).toEqual([
      { ...flat, strict: false, parameters: { type: 'object', properties: {} } },
    ])
  })

  test('Two tools with one name are reported.', () => {
    const { output, said } = convert([named('a'), named('a')])
    expect(output).toHaveLength(1)
    expect(said).toEqual(['duplicate_tool_removed 1'])
  })

  test('Names stay unchanged, because a list has no undo.', () => {
    const name = `my.tool ${'x'.repeat(80)}`
    const { output, said } = convert([named(name)])
    expect(output[0]?.name).toBe(name)
    expect(said).toEqual(['name_characters 0.function.name', 'name_too_long 0.function.name'])
  })

  test('Inherited names do not mislead the converter.', () => {
    const tools: unknown = JSON.parse(
      '[{"type":"constructor"},{"type":"__proto__"},{"type":"function","__proto__":{"function":{"name":"x","description":"y"}}}]',
    )
    expect(createToolsJsonForResponsesApi(tools)).toEqual([])
  })
})

describe('seed 000, the invariants', () => {
  const input = [
    browserDom,
    named('strict', { strict: true }),
    named('empty', { parameters: {} }),
    named('bare', { parameters: undefined }),
    { type: 'custom', custom: { name: 'free' } },
    { type: 'web_search' },
    { type: 'nonsense' },
    { type: 'function' },
    null,
    [],
  ]
  const output = createToolsJsonForResponsesApi(input)

  test('No converted tool has a nested function property (INV-1). [S000.24]', () => {
    expect(output.length).toBeGreaterThan(0)
    for (const tool of output) expect(tool).not.toHaveProperty('function')
  })

  test('Every converted function has all required fields (INV-2). [S000.25] [C7]', () => {
    const functions = output.filter(tool => tool.type === 'function')
    expect(functions).toHaveLength(4)
    for (const tool of functions) {
      expect(tool.name).toBeTruthy()
      expect(tool.description).toBeTruthy()
      expect(tool.parameters).toBeDefined()
    }
  })

  test('The converter never returns more tools than it was given (INV-3). [S000.26]', () => {
    expect(output.length).toBeLessThanOrEqual(input.length)
    expect(output).toHaveLength(6)
  })

  test('Every converted function has type, name, parameters and strict. [S000.30]', () => {
    for (const tool of output.filter(tool => tool.type === 'function')) {
      expect(Object.keys(tool).sort()).toEqual(['description', 'name', 'parameters', 'strict', 'type'])
      expect(typeof tool.strict).toBe('boolean')
      expect(tool.parameters?.type).toBe('object')
    }
  })
})

describe('seed 000, the error cases', () => {
  test('An unknown type is dropped with a warning. [S000.27] [C7]', () => {
    const { output, said } = convert([{ type: 'invalid' }])
    expect(output).toEqual([])
    expect(said).toEqual(['unknown_type 0.type', 'tool_dropped 0'])
  })

  test('A tool without its required fields is dropped. [S000.28]', () => {
    const { output, said } = convert([{ type: 'function', function: { name: 'test' } }])
    expect(output).toEqual([])
    expect(said).toEqual(['missing_description 0.function.description', 'tool_dropped 0'])
  })

  test('Only the valid tools among null and undefined are kept. [S000.29]', () => {
    expect(convert([null, undefined, named('a')]).output.map(tool => tool.name)).toEqual(['a'])
  })
})
