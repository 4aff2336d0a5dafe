import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { OpenAITool, RegistryToolDefinition, ToolFormatOptions } from './index.ts'
import { convertToolsToOpenAIFormat } from './index.ts'

function convert(tools: unknown, options: ToolFormatOptions = {}) {
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic)
  const output = convertToolsToOpenAIFormat(tools, { ...options, onDiagnostic })
  return { output, said: diagnostics.map(({ code, path }) => [code, path.join('.')].join(' ')) }
}

const browserTab: RegistryToolDefinition = {
  type: 'function',
  function: {
    name: 'browser_tab',
    description: 'Manage browser tabs',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', description: 'Action to perform' },
        tabId: { type: 'number', description: 'Tab ID' },
      },
      required: ['action'],
      additionalProperties: false,
    },
  },
}

const browserTabJson = `{
  "type": "function",
  "function": {
    "name": "browser_tab",
    "description": "Manage browser tabs",
    "parameters": {
      "type": "object",
      "properties": {
        "action": { "type": "string", "description": "Action to perform" },
        "tabId": { "type": "number", "description": "Tab ID" }
      },
      "required": ["action"],
      "additionalProperties": false
    }
  }
}`

const localShellJson = `{
  "type": "function",
  "function": {
    "name": "local_shell",
    "description": "Execute local shell commands in the browser environment",
    "parameters": {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "description": "The shell command to execute"
        }
      },
      "required": ["command"]
    }
  }
}`

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

/** The printed JSON without its white space. */
const bytes = (json: string): string => JSON.stringify(JSON.parse(json))

describe('seed 001, the printed examples', () => {
  test('The browser tab tool of example 1 is converted as printed. [S001.11] [S001.5] [C1]', () => {
    const [tool] = convertToolsToOpenAIFormat([browserTab])
    expect(JSON.stringify(tool)).toBe(bytes(browserTabJson))
  })

  test('The shell tool of example 2 is converted as printed. [S001.12] [S001.6] [C9]', () => {
    const [tool] = convertToolsToOpenAIFormat([{ type: 'local_shell' }])
    expect(JSON.stringify(tool)).toBe(bytes(localShellJson))
  })

  test('The mixed tools of example 3 keep their order. [S001.13] [S001.14]', () => {
    const { output, said } = convert([browserTab, { type: 'local_shell' }, { type: 'web_search' }])
    expect(output.map(tool => tool.function.name)).toEqual(['browser_tab', 'local_shell', 'web_search'])
    expect(JSON.stringify(output.slice(0, 2))).toBe(`[${bytes(browserTabJson)},${bytes(localShellJson)}]`)
    expect(said).toEqual(['hosted_tool_emulated 1.type', 'hosted_tool_emulated 2.type'])
  })
})

describe('seed 001, each tool type', () => {
  test('The tool web_search becomes a function with a query. [S001.7] [S001.14] [C10]', () => {
    expect(convertToolsToOpenAIFormat([{ type: 'web_search' }])).toEqual([
      {
        type: 'function',
        function: {
          name: 'web_search',
          description: 'Search the web for information',
          parameters: {
            type: 'object',
            properties: { query: { type: 'string', description: expect.any(String) } },
            required: ['query'],
          },
        },
      },
    ])
  })

  test('The options of a web search that a function cannot have are reported. [C10]', () => {
    const { said } = convert([{ type: 'web_search', search_context_size: 'low' }])
    expect(said).toContain('field_dropped 0.search_context_size')
  })

  test('A custom tool becomes a function with one string and the grammar in its description. [S001.8] [S001.14] [C8]', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const { output, said } = convert([
      { type: 'custom', custom: { name: 'patch', description: 'Patches', format } },
    ])
    expect(output).toHaveLength(1)
    expect(output[0]).toMatchObject({
      type: 'function',
      function: {
        name: 'patch',
        parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
    })
    expect(output[0]?.function.description).toMatch(/^Patches/)
    expect(output[0]?.function.description).toContain('start: "a"')
    expect(said).toEqual(['mixed_shape 0.custom.format.type', 'custom_tool_wrapped 0.type'])
  })

  test('The Chat converter keeps strict: true and drops only false, which is the default. [C1]', () => {
    const of = (strict: unknown) => ({ type: 'function', function: { name: 'a', strict } })
    const strictOf = (strict: unknown) => convertToolsToOpenAIFormat([of(strict)])[0]?.function
    expect(strictOf(true)).toHaveProperty('strict', true)
    for (const strict of [false, null, undefined]) expect(strictOf(strict)).not.toHaveProperty('strict')
    expect(
      convertToolsToOpenAIFormat([{ type: 'function', name: 'flat', strict: true }])[0]?.function.strict,
    ).toBe(true)
  })

  test('A misplaced strict is reported and not sent. [C2]', () => {
    const parameters = { type: 'object', strict: true, properties: {} }
    const { output, said } = convert([
      { type: 'function', strict: true, function: { name: 'a', parameters } },
    ])
    expect(output).toEqual([
      { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: {} } } },
    ])
    expect(said).toEqual(['misplaced_strict 0.strict', 'misplaced_strict 0.function.parameters.strict'])
  })

  test('The Chat converter returns only functions, whatever the source. [S001.1] [S001.2] [S001.3] [S001.4]', () => {
    const tools: RegistryToolDefinition[] = [
      browserTab,
      { type: 'local_shell' },
      { type: 'web_search' },
      { type: 'custom', custom: { name: 'patch', description: 'Patches', format: { type: 'text' } } },
    ]
    const output = convertToolsToOpenAIFormat(tools)
    expectTypeOf(output).toEqualTypeOf<OpenAITool[]>()
    expect(output).toHaveLength(4)
    for (const tool of output) {
      expect(Object.keys(tool)).toEqual(['type', 'function'])
      expect(tool.type).toBe('function')
      expect(Object.keys(tool.function)).toEqual(['name', 'description', 'parameters'])
    }
  })

  test('Nested objects, arrays and everything else in a schema are kept. [S001.14] [C22]', () => {
    const parameters = {
      type: 'object',
      properties: {
        where: { type: 'object', properties: { at: { type: 'array', items: { enum: ['x', 'y'] } } } },
        maybe: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        count: { type: 'integer', minimum: 1, exclusiveMaximum: 9, 'x-vendor': true },
        ref: { $ref: '#/$defs/thing' },
      },
      $defs: { thing: { type: 'string', pattern: '^a', minLength: 2 } },
    }
    const [tool] = convertToolsToOpenAIFormat([{ type: 'function', function: { name: 'a', parameters } }])
    expect(JSON.stringify(tool?.function.parameters)).toBe(JSON.stringify(parameters))
  })
})

describe('seed 001, the errors', () => {
  test.each<[what: string, tool: unknown, named: string | undefined]>([
    ['an unknown type', { type: 'telepathy' }, 'telepathy'],
    ['an unknown type with fields of its own', { type: 'telepathy', range: 3 }, 'telepathy'],
    ['an unknown type around a function', { type: 'telepathy', function: { name: 'a' } }, 'telepathy'],
    ['an unknown type beside a name', { type: 'functions', name: 'a', parameters: {} }, 'functions'],
    ['a type of another case', { type: 'Function', function: { name: 'a' } }, 'Function'],
    ['a type that is no text', { type: 7, function: { name: 'a' } }, '7'],
    ['no type at all', { function: { name: 'a', description: 'A', parameters: {} } }, undefined],
  ])('The converter drops %s at any position and reports it. [S001.16] [S001.14] [C7]', (_, tool, named) => {
    const { output, said } = convert([tool, browserTab, tool])
    expect(output.map(({ function: { name } }) => name)).toEqual(['browser_tab'])
    expect(said).toEqual(['unknown_type 0.type', 'tool_dropped 0', 'unknown_type 2.type', 'tool_dropped 2'])
    const messages: string[] = []
    convertToolsToOpenAIFormat([tool], { onDiagnostic: ({ message }) => void messages.push(message) })
    if (named !== undefined) expect(messages.join(' ')).toContain(named)
  })

  test('The converter drops an unknown type inside a namespace and reports it. [S001.16]', () => {
    const tools = [{ type: 'telepathy' }, { type: 'function', name: 'find', parameters: {} }]
    const { output, said } = convert([{ type: 'namespace', name: 'n', tools }])
    expect(output.map(({ function: { name } }) => name)).toEqual(['n__find'])
    expect(said).toContain('unknown_type 0.tools.0.type')
    expect(said).toContain('tool_dropped 0.tools.0')
  })

  test('The converter skips null and undefined. [S001.17]', () => {
    expect(convertToolsToOpenAIFormat([null, browserTab, undefined])).toHaveLength(1)
    expect(convertToolsToOpenAIFormat(undefined)).toEqual([])
    expect(convert('tools')).toEqual({ output: [], said: ['not_a_list '] })
  })

  test.each([[{ type: 'strnig' }], [{ type: 'object', properties: 7 }], ['schema'], [[1]], [true]])(
    'The invalid schema %j is kept unchanged. [S001.18]',
    parameters => {
      const [tool] = convertToolsToOpenAIFormat([{ type: 'function', function: { name: 'a', parameters } }])
      expect(tool?.function.parameters).toEqual(parameters)
    },
  )

  test('The converter does not change the definitions that it is given. [S001.15]', () => {
    // Written out here, since a sample that other tests share may have been changed before it is copied.
    const json = `[
      { "type": "function", "function": { "name": "a", "description": "A", "strict": false, "parameters": {
        "type": "object", "properties": { "x": { "type": "object", "properties": {}, "default": {} } } } } },
      { "type": "function", "function": { "name": "b", "strict": true, "parameters": {
        "type": "object", "properties": {}, "strict": true } } },
      { "type": "function", "function": { "name": "c", "parameters": {} } },
      { "type": "local_shell" },
      { "type": "web_search", "filters": { "allowed_domains": ["a.example"] } },
      { "type": "custom", "custom": { "name": "patch", "description": "P", "format": { "type": "text" } } },
      { "type": "namespace", "name": "n", "tools": [{ "type": "function", "name": "d", "parameters": {} }] },
      { "type": "telepathy" },
      null
    ]`
    const optionSets: readonly ToolFormatOptions[] = [
      {},
      { strict: 'strictify' },
      { misplacedStrict: 'honour' },
    ]
    for (const options of optionSets) {
      const tools: unknown = JSON.parse(json)
      expect(convertToolsToOpenAIFormat(tools, options)).toHaveLength(7)
      expect(JSON.stringify(tools)).toBe(bytes(json))
      expect(() => convertToolsToOpenAIFormat(deepFreeze(tools), options)).not.toThrow()
    }
  })

  test('The converter finds errors before sending, also in newer types. [S001.19]', () => {
    const { output, said } = convert([
      { type: 'function', function: { name: 'a', parameters: { type: 'string' } } },
      { type: 'shell' },
      { type: 'namespace', name: 'mcp__demo', tools: [{ type: 'function', name: 'find', parameters: {} }] },
      { type: 'file_search', vector_store_ids: ['vs_1'] },
    ])
    expect(output.map(tool => tool.function.name)).toEqual(['a', 'shell', 'mcp__demo__find'])
    expect(said).toContain('parameters_not_object 0.function.parameters.type')
    expect(said).toContain('hosted_tool_dropped 3')
  })

  test('A tool without a description is kept unless a description is required. [C4] [C5]', () => {
    const tools = [{ type: 'function', function: { name: 'a' } }]
    expect(convertToolsToOpenAIFormat(tools)).toEqual([
      { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: {} } } },
    ])
    expect(convertToolsToOpenAIFormat(tools, { requireDescription: true })).toEqual([])
    expect(() => convertToolsToOpenAIFormat([null], { onInvalid: 'throw' })).toThrow(
      'Tool type must be "function"',
    )
  })
})
