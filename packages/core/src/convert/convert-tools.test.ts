import { describe, expect, test } from 'vitest'
import { convertTools } from '../convert-tools.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import type { HostedPolicy } from './shared/options.ts'

const parameters = {
  type: 'object',
  properties: { zulu: { type: 'string' }, alpha: { type: 'number' } },
  required: ['zulu'],
}
const responsesTool = { type: 'function', name: 'f', strict: false, parameters }

describe('convertTools', () => {
  test('convertTools passes schemas on by reference, with their key order.', () => {
    const [tool] = convertTools([responsesTool], { from: 'responses', to: 'messages' }).value
    expect((tool as { input_schema: unknown }).input_schema).toBe(parameters)
  })

  test('The tool local_shell is emulated byte for byte as specified. [S001.12] [C9]', () => {
    const { value } = convertTools([{ type: 'local_shell' }], { from: 'responses', to: 'chat' })
    expect(JSON.stringify(value[0], null, 2)).toBe(`{
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
      "required": [
        "command"
      ]
    }
  }
}`)
  })

  test('convertTools throws for an unknown wire and names it.', () => {
    expect(() => convertTools([], { from: 'gemini' as Wire, to: 'chat' })).toThrow(
      '"from" must be one of chat, responses, messages; got "gemini".',
    )
    expect(() => convertTools([], { from: 'chat', to: 'constructor' as Wire })).toThrow('"to" must be one of')
  })

  test('Absent tools become an empty list, and any other value that is not a list is reported.', () => {
    expect(convertTools(undefined, { from: 'chat', to: 'responses' })).toMatchObject({
      value: [],
      diagnostics: [],
    })
    expect(convertTools({ name: 'x' }, { from: 'chat', to: 'responses' }).diagnostics).toMatchObject([
      { code: 'not_a_list', path: [] },
    ])
  })

  test('A schema of 10,000 levels is converted without a crash.', () => {
    let schema: object = { type: 'string' }
    for (let i = 0; i < 10_000; i++) schema = { type: 'object', properties: { inner: schema } }
    for (const strict of ['preserve', 'strictify'] as const) {
      const { value } = convertTools([{ type: 'function', name: 'deep', parameters: schema }], {
        from: 'responses',
        to: 'chat',
        strict,
      })
      expect((value[0] as { function: { parameters: unknown } }).function.parameters).toBe(schema)
    }
  })

  test('Namespaces nested ten thousand levels deep are converted without a crash.', () => {
    let tool: object = responsesTool
    for (let i = 0; i < 10_000; i++)
      tool = { type: 'namespace', name: `n${i}`, description: 'd', tools: [tool] }
    expect(convertTools([tool], { from: 'responses', to: 'chat' }).value).toEqual([])
    expect(convertTools([tool], { from: 'responses', to: 'responses' }).value).toEqual([tool])
  })

  test('Tools and properties called __proto__ do not change the prototype of objects.', () => {
    const tools = JSON.parse(
      '[{"type":"function","function":{"name":"__proto__","__proto__":{"polluted":true},"parameters":{"type":"object","properties":{"__proto__":{"type":"string"}}}},"__proto__":{"polluted":1}}]',
    )
    for (const to of ['chat', 'responses', 'messages'] as const) convertTools(tools, { from: 'chat', to })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    const [back] = convertTools(tools, { from: 'chat', to: 'chat' }).value as [
      Record<string, Record<string, object>>,
    ]
    expect(Object.keys(back).sort()).toEqual(['__proto__', 'function', 'type'])
    expect(Object.keys(back.function ?? {}).sort()).toEqual(['__proto__', 'name', 'parameters'])
    expect(Object.keys(back.function?.parameters ?? {})).toEqual(['type', 'properties'])
  })
})

describe('misplaced strict', () => {
  const besideFunction = { type: 'function', strict: true, function: { name: 'f', parameters } }
  const insideSchema = {
    type: 'function',
    function: { name: 'f', parameters: { ...parameters, strict: true } },
  }

  test('A misplaced strict is reported, removed from the schema, and not applied. [C2] [S002.3]', () => {
    for (const tool of [besideFunction, insideSchema]) {
      const { value, diagnostics } = convertTools([tool], { from: 'chat', to: 'responses' })
      expect(value).toEqual([responsesTool])
      expect(diagnostics.map(({ code }) => code)).toEqual(['misplaced_strict'])
    }
  })

  test('A misplaced strict is honoured on request. [C2]', () => {
    for (const tool of [besideFunction, insideSchema]) {
      const { value } = convertTools([tool], { from: 'chat', to: 'responses', misplacedStrict: 'honour' })
      expect(value).toEqual([{ ...responsesTool, strict: true }])
    }
  })

  test('A property named strict is an ordinary property. [C2]', () => {
    const schema = { type: 'object', properties: { strict: { type: 'boolean' } } }
    const { value, diagnostics } = convertTools(
      [{ type: 'function', function: { name: 'f', parameters: schema } }],
      { from: 'chat', to: 'responses' },
    )
    expect(value).toMatchObject([{ parameters: schema }])
    expect(diagnostics).toEqual([])
  })
})

describe('policies for hosted tools', () => {
  const convert = (hostedTools: HostedPolicy, type = 'web_search') =>
    convertTools([{ type, search_context_size: 'low' }], { from: 'responses', to: 'chat', hostedTools })

  test('The policy emulate makes a function and reports what the function cannot express. [C10]', () => {
    const { value, diagnostics, undo } = convert('emulate')
    expect(value).toMatchObject([
      { function: { name: 'web_search', description: 'Search the web for information' } },
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(['hosted_tool_emulated', 'field_dropped'])
    expect(undo.restoreCall({ kind: 'function', name: 'web_search', arguments: '{"query":"x"}' })).toEqual({
      kind: 'hosted',
      type: 'web_search',
      name: 'web_search',
      arguments: '{"query":"x"}',
      handled: false,
    })
  })

  test('The policy handler makes the same function, marked for the caller to run. [C10]', () => {
    const { value, undo } = convert('handler')
    expect(value).toHaveLength(1)
    expect(undo.restoreCall({ kind: 'function', name: 'web_search', arguments: '{}' })).toMatchObject({
      kind: 'hosted',
      handled: true,
    })
  })

  test('With the policy handler, a tool without a known function gets its parameters from the caller.', () => {
    const hostedTools = {
      file_search: { policy: 'handler', description: 'Searches our files', parameters },
    } as const
    const { value, undo } = convertTools([{ type: 'file_search', vector_store_ids: ['vs_1'] }], {
      from: 'responses',
      to: 'chat',
      hostedTools,
    })
    expect(value).toEqual([
      { type: 'function', function: { name: 'file_search', description: 'Searches our files', parameters } },
    ])
    expect(undo.restoreCall({ kind: 'function', name: 'file_search', arguments: '{}' })).toMatchObject({
      type: 'file_search',
      handled: true,
    })
  })

  test('The policies drop, pass and error are applied. [C10]', () => {
    expect(convert('drop')).toMatchObject({
      value: [],
      diagnostics: [{ code: 'hosted_tool_omitted', severity: 'info', path: [0] }],
    })
    expect(convert('pass')).toMatchObject({
      value: [{ type: 'web_search' }],
      diagnostics: [{ code: 'hosted_tool_passed' }],
    })
    expect(convert('error')).toMatchObject({
      value: [],
      diagnostics: [{ code: 'hosted_tool_refused', severity: 'error' }],
    })
  })

  test('The policy emulate drops and reports a tool without a known function.', () => {
    expect(convert('emulate', 'image_generation')).toMatchObject({
      value: [],
      diagnostics: [{ code: 'hosted_tool_dropped' }],
    })
  })

  test('A policy for one type leaves the defaults of the others.', () => {
    const { value } = convertTools(
      [{ type: 'web_search' }, { type: 'local_shell' }, { type: 'mcp', server_label: 'm' }],
      {
        from: 'responses',
        to: 'chat',
        hostedTools: { web_search: 'emulate', local_shell: 'drop' },
      },
    )
    expect(value.map(tool => (tool as { function: { name: string } }).function.name)).toEqual(['web_search'])
  })

  test('A star applies to every type that is not named, by itself or by its family.', () => {
    const { value, diagnostics } = convertTools(
      [{ type: 'web_search_2025_08_26' }, { type: 'local_shell' }, { type: 'mcp', server_label: 'm' }],
      { from: 'responses', to: 'chat', hostedTools: { web_search: 'emulate', mcp: 'drop', '*': 'error' } },
    )
    expect(value).toMatchObject([{ function: { name: 'web_search' } }])
    expect(diagnostics).toMatchObject([
      { code: 'hosted_tool_emulated' },
      { code: 'hosted_tool_refused', path: [1] },
      { code: 'hosted_tool_omitted', path: [2] },
    ])
  })

  test('A type with the name of a member of Object is looked up as data.', () => {
    const { diagnostics } = convertTools([{ type: 'constructor' }], {
      from: 'responses',
      to: 'chat',
      hostedTools: {},
    })
    expect(diagnostics.map(({ code }) => code)).toEqual(['unknown_type', 'tool_dropped'])
  })

  test("Web search is mapped to the target's web search, with the fields that both have.", () => {
    const search = {
      type: 'web_search',
      filters: { allowed_domains: ['a.example'] },
      user_location: { city: 'Lyon' },
      search_context_size: 'low',
    }
    const there = convertTools([search], { from: 'responses', to: 'messages' })
    expect(there.value).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', city: 'Lyon' },
      },
    ])
    expect(there.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['hosted_tool_mapped', [0, 'type']],
      ['field_dropped', [0, 'search_context_size']],
    ])
    expect(convertTools(there.value, { from: 'messages', to: 'responses' }).value).toEqual([
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: { type: 'approximate', city: 'Lyon' },
      },
    ])
  })

  test("Anthropic's client tools become functions that any model can call.", () => {
    const { value, undo } = convertTools([{ type: 'bash_20250124', name: 'bash' }], {
      from: 'messages',
      to: 'chat',
    })
    expect(value).toMatchObject([
      {
        type: 'function',
        function: { name: 'bash', parameters: { properties: { command: { type: 'string' } } } },
      },
    ])
    expect(undo.restoreCall({ kind: 'function', name: 'bash', arguments: '{"command":"ls"}' })).toMatchObject(
      { kind: 'hosted', type: 'bash_20250124', name: 'bash' },
    )
  })
})

describe('unknown tools', () => {
  const unknown = { type: 'telepathy', range: 'far' }

  test('Unknown tools stay on their own wire and are reported on another. [C7]', () => {
    expect(convertTools([unknown], { from: 'responses', to: 'responses' }).value).toEqual([unknown])
    const { value, diagnostics } = convertTools([unknown], { from: 'responses', to: 'chat' })
    expect(value).toEqual([])
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['unknown_type', [0, 'type']],
      ['tool_dropped', [0]],
    ])
  })

  test('The policies pass and error apply to unknown tools. [C7]', () => {
    expect(convertTools([unknown], { from: 'responses', to: 'chat', unknownTools: 'pass' }).value).toEqual([
      unknown,
    ])
    const refused = convertTools([unknown], { from: 'responses', to: 'chat', unknownTools: 'error' })
    expect(refused.diagnostics.at(-1)).toMatchObject({ code: 'unknown_tool_refused', severity: 'error' })
  })
})

describe('undo', () => {
  test('The undo removes nulls that strictify added, and leaves unchanged arguments verbatim.', () => {
    const { value, undo } = convertTools(
      [responsesTool].map(({ strict: _, ...tool }) => tool),
      { from: 'responses', to: 'chat', strict: 'strictify' },
    )
    expect(value).toMatchObject([{ function: { strict: true, parameters: { required: ['zulu', 'alpha'] } } }])
    const restored = (text: string) => undo.restoreCall({ kind: 'function', name: 'f', arguments: text })
    expect(restored('{"zulu":"z","alpha":null}')).toMatchObject({ arguments: '{"zulu":"z"}' })
    expect(restored('{ "zulu" : "z", "alpha": 1 }')).toMatchObject({
      arguments: '{ "zulu" : "z", "alpha": 1 }',
    })
    expect(restored('{"zulu": tru')).toMatchObject({ arguments: '{"zulu": tru' })
  })

  test('A call to an undeclared tool is returned unchanged.', () => {
    const { undo } = convertTools([], { from: 'responses', to: 'chat' })
    for (const name of ['unheard', 'constructor', '__proto__']) {
      expect(undo.restoreCall({ kind: 'function', name, arguments: '{}' })).toEqual({
        kind: 'function',
        name,
        arguments: '{}',
      })
    }
  })

  test('A renamed custom tool is restored on a wire that has custom tools.', () => {
    const { value, undo } = convertTools([{ type: 'custom', custom: { name: 'run sql' } }], {
      from: 'chat',
      to: 'responses',
    })
    const { name } = value[0] as { name: string }
    expect(undo.restoreCall({ kind: 'custom', name, input: 'select 1' })).toEqual({
      kind: 'custom',
      name: 'run sql',
      input: 'select 1',
    })
  })
})
