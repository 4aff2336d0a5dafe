import { describe, expect, expectTypeOf, it, vi } from 'vitest'
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
  it('[S000.1][S000.2][S000.6][S000.7][S000.8] makes the worked example flat, byte for byte', () => {
    const [tool] = createToolsJsonForResponsesApi([browserDom])
    const { name, description, strict, parameters } = browserDom.function
    expect(JSON.stringify(tool)).toBe(
      JSON.stringify({ type: 'function', name, description, strict, parameters }),
    )
  })

  it('[S000.3] takes what a registry creates and gives what the API consumes', () => {
    const registry = new ToolRegistry([browserDom])
    const created = toolSchemasForOpenAI(['browser_dom'], registry)
    expect(createToolsJsonForResponsesApi(created)).toEqual(createToolsJsonForResponsesApi([browserDom]))
  })

  it('[S000.4][S000.5][S000.13] has the seed types', () => {
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

  it('[S000.10][C1] leaves an absent strict out when asked to, and never an explicit one', () => {
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

  it('[C1] makes a schema strict only when asked to', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: [] }
    const [plain] = createToolsJsonForResponsesApi([named('a', { parameters })])
    expect(plain).toMatchObject({ strict: false, parameters })
    const [strict] = createToolsJsonForResponsesApi([named('a', { parameters })], { strict: 'strictify' })
    expect(strict).toMatchObject({
      strict: true,
      parameters: { required: ['a'], additionalProperties: false },
    })
  })

  it.each<[rule: string, code: string, invalid: unknown]>([
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
    '[S000.11][S000.12][C5] throws %s (%s) when asked to, and drops otherwise: %j',
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

  it('[S000.11] says once, at its place, that parameters are no schema', () => {
    expect(convert([named('a', { parameters: 5 })])).toEqual({
      output: [],
      said: ['parameters_not_object 0.function.parameters', 'tool_dropped 0'],
    })
    const { output } = convert([named('a', { parameters: { type: 'string' } })])
    expect(output).toHaveLength(1)
  })

  it('[C5] throws for the first of several, after telling about all', () => {
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

  it('[S000.13][C6] is pure: the same twice, the input untouched, nothing printed', () => {
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

  it.each([undefined, null, {}, 'tools', 0])('[S000.14] gives no tools for %j', tools => {
    expect(createToolsJsonForResponsesApi(tools)).toEqual([])
  })

  it('[S000.15][S000.16][S000.19][S000.29] reports and drops what is no tool', () => {
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

  it('[S000.15] counts a hole in the list as a missing tool', () => {
    const tools = [named('a'), named('b')]
    delete tools[0]
    const { output, said } = convert(tools)
    expect(output.map(tool => tool.name)).toEqual(['b'])
    expect(said).toEqual(['invalid_tool 0', 'tool_dropped 0'])
  })

  it.each([[{}], [null], [undefined]])('[S000.17][C23] fills in empty parameters: %j', parameters => {
    const { output, said } = convert([named('a', { parameters })])
    expect(output[0]?.parameters).toEqual({ type: 'object', properties: {} })
    expect(said).toEqual(['parameters_defaulted 0.function.parameters'])
  })

  it('[S000.18][C7] passes what Responses knows by type verbatim', () => {
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

  it('[S000.24][C8] writes a custom tool flat, where other converters nest a function', () => {
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

  it('[C4] allows a missing description when told to', () => {
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

  it('[C2] reports a misplaced strict, takes it out of the schema, and honours it only when told to', () => {
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

  it('takes tools that are already flat, so that converting twice changes nothing', () => {
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

  it('reports two tools of one name', () => {
    const { output, said } = convert([named('a'), named('a')])
    expect(output).toHaveLength(2)
    expect(said).toEqual(['duplicate_tool_name 1.function.name'])
  })

  it('leaves names alone, because an array carries no way back', () => {
    const name = `my.tool ${'x'.repeat(80)}`
    const { output, said } = convert([named(name)])
    expect(output[0]?.name).toBe(name)
    expect(said).toEqual(['name_characters 0.function.name', 'name_too_long 0.function.name'])
  })

  it('is not misled by inherited names', () => {
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

  it('[S000.24] INV-1: no nested function property', () => {
    expect(output.length).toBeGreaterThan(0)
    for (const tool of output) expect(tool).not.toHaveProperty('function')
  })

  it('[S000.25][C7] INV-2: all required fields present on function tools', () => {
    const functions = output.filter(tool => tool.type === 'function')
    expect(functions).toHaveLength(4)
    for (const tool of functions) {
      expect(tool.name).toBeTruthy()
      expect(tool.description).toBeTruthy()
      expect(tool.parameters).toBeDefined()
    }
  })

  it('[S000.26] INV-3: never more tools than given', () => {
    expect(output.length).toBeLessThanOrEqual(input.length)
    expect(output).toHaveLength(6)
  })

  it('[S000.30] has what the API requires of a function: type, name, parameters and strict', () => {
    for (const tool of output.filter(tool => tool.type === 'function')) {
      expect(Object.keys(tool).sort()).toEqual(['description', 'name', 'parameters', 'strict', 'type'])
      expect(typeof tool.strict).toBe('boolean')
      expect(tool.parameters?.type).toBe('object')
    }
  })
})

describe('seed 000, the error cases', () => {
  it('[S000.27][C7] filters an unknown type with a warning', () => {
    const { output, said } = convert([{ type: 'invalid' }])
    expect(output).toEqual([])
    expect(said).toEqual(['unknown_type 0.type', 'tool_dropped 0'])
  })

  it('[S000.28] filters a tool without its required fields', () => {
    const { output, said } = convert([{ type: 'function', function: { name: 'test' } }])
    expect(output).toEqual([])
    expect(said).toEqual(['missing_description 0.function.description', 'tool_dropped 0'])
  })

  it('[S000.29] keeps only the valid tools between null and undefined', () => {
    expect(convert([null, undefined, named('a')]).output.map(tool => tool.name)).toEqual(['a'])
  })
})
