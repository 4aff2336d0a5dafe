/** Edge cases in which one tool could be mistaken for another, or one adaptation could undo another. */
import { describe, expect, test } from 'vitest'
import type { ConvertToolsOptions } from '../convert-tools.ts'
import { convertToolParams, convertTools, encodeTools } from '../convert-tools.ts'

const optional = { type: 'object', properties: { q: { type: 'string' } } }
const exact = { ...optional, required: ['q'], additionalProperties: false }
const fn = (name: string, more: object = {}): object => ({
  type: 'function',
  name,
  parameters: exact,
  strict: false,
  ...more,
})
const codes = ({ diagnostics }: { diagnostics: { code: string }[] }): string[] =>
  diagnostics.map(({ code }) => code)

describe('independent results', () => {
  test('Changing one converted list does not change the next.', () => {
    const convert = (): unknown =>
      convertTools(
        [{ type: 'local_shell' }, { type: 'custom', name: 'c' }, { type: 'function', name: 'f' }],
        { from: 'responses', to: 'messages' },
      ).value
    const before = JSON.stringify(convert())
    const [shell, custom, bare] = convert() as {
      input_schema: { properties: Record<string, { description: string }>; additionalProperties: boolean }
    }[]
    if (shell?.input_schema.properties.command) shell.input_schema.properties.command.description = 'changed'
    if (custom) custom.input_schema.additionalProperties = true
    if (bare) bare.input_schema.additionalProperties = false
    expect(JSON.stringify(convert())).toBe(before)
  })
})

describe('same wire, with options', () => {
  test('A null in the source does not overwrite what an adaptation wrote.', () => {
    const tool = { type: 'function', name: 'a', strict: null, parameters: optional }
    expect(
      convertTools([tool], { from: 'responses', to: 'responses', strict: 'strictify' }).value,
    ).toMatchObject([{ strict: true }])
    const inner = { type: 'function', name: 'i', description: null, parameters: exact, strict: false }
    const { value } = convertTools(
      [{ type: 'namespace', name: 'n', description: 'About n', tools: [inner] }],
      { from: 'responses', to: 'responses', profile: { namespaces: false } },
    )
    expect(JSON.stringify(value)).toContain('About n')
  })

  test('A tool that became a function keeps none of its old fields.', () => {
    const shell = { type: 'shell', environment: { type: 'local' } }
    const emulated = convertTools([shell], { from: 'responses', to: 'responses', hostedTools: 'emulate' })
    expect(emulated.value[0]).not.toHaveProperty('environment')
    expect(codes(emulated)).toContain('field_dropped')
    const wrapped = convertTools([{ type: 'custom', custom: { name: 'c', x_v: 1 } }], {
      from: 'chat',
      to: 'chat',
      profile: { customTools: false },
    })
    expect(wrapped.value[0]).not.toHaveProperty('custom')
    expect(codes(wrapped)).toContain('field_dropped')
  })

  test('Options that do not apply to tools inside the input are reported.', () => {
    const body = {
      tools: [fn('a'), fn('b')],
      input: [{ type: 'additional_tools', tools: [fn('c')] }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'a' },
          { type: 'function', name: 'c' },
        ],
      },
    }
    const { value, ...rest } = convertToolParams(body, {
      from: 'responses',
      to: 'responses',
      profile: { allowedTools: false },
    })
    expect(value.tools).toHaveLength(1)
    expect(codes(rest)).toContain('additional_tools_unchanged')
    expect(codes(rest)).not.toContain('tool_choice_undeclared')
  })

  test('A profile applies also if both wires are the same.', () => {
    const bare = { type: 'function', function: { name: 'a' } }
    const { value } = convertTools([bare], {
      from: 'chat',
      to: 'chat',
      profile: { parametersRequired: true },
    })
    expect(value).toMatchObject([{ function: { parameters: { type: 'object', properties: {} } } }])
    const long = `n${'x'.repeat(70)}`
    const tools = [{ type: 'namespace', name: 'n', description: 'd', tools: [fn(long)] }]
    const named = convertToolParams(
      { tools, tool_choice: { type: 'function', name: long, namespace: 'n' } },
      { from: 'responses', to: 'responses', profile: { nameMaxLength: 64 } },
    )
    expect(named.value.tool_choice).toMatchObject({ namespace: 'n' })
  })
})

describe('choices', () => {
  const choose = (tools: object[], choice: unknown, options: ConvertToolsOptions) =>
    convertToolParams({ tools, tool_choice: choice }, options)

  test('A function or custom tool is never mistaken for a hosted one of its name.', () => {
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'apply_patch' }] }
    const subset = choose(
      [{ type: 'apply_patch' }, { type: 'custom', name: 'apply_patch', description: 'mine' }],
      allowed,
      { from: 'responses', to: 'messages' },
    )
    expect(subset.value.tools).toMatchObject([{ description: 'mine' }])
    const named = choose(
      [{ type: 'local_shell' }, fn('local_shell')],
      { type: 'function', name: 'local_shell' },
      { from: 'responses', to: 'chat' },
    )
    expect(named.value.tool_choice).toEqual({ type: 'function', function: { name: 'local_shell' } })
    const only = choose(
      [{ type: 'local_shell' }, fn('a')],
      { type: 'function', name: 'local_shell' },
      { from: 'responses', to: 'chat' },
    )
    expect(codes(only)).toContain('tool_choice_undeclared')
  })

  test('On Messages, where hosted tools have names, a choice may name one.', () => {
    const { value } = choose(
      [{ type: 'bash_20250124', name: 'bash' }],
      { type: 'tool', name: 'bash' },
      { from: 'messages', to: 'chat' },
    )
    expect(value.tool_choice).toEqual({ type: 'function', function: { name: 'bash' } })
    const renamed = choose(
      [{ type: 'bash_20250124', name: 'bash' }],
      { type: 'tool', name: 'bash' },
      { from: 'messages', to: 'chat', hostedTools: { bash_20250124: { policy: 'emulate', name: 'run' } } },
    )
    expect(renamed.value.tool_choice).toEqual({ type: 'function', function: { name: 'run' } })
    expect(renamed.undo.restoreCall({ kind: 'function', name: 'run', arguments: '{}' })).toMatchObject({
      kind: 'hosted',
      name: 'bash',
    })
  })

  test('The choices of another wire are not a choice on Responses. [field B25]', () => {
    for (const choice of [
      { type: 'tool', name: 'a' },
      { type: 'any' },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'bogus' }] },
    ]) {
      expect(codes(choose([fn('a')], choice, { from: 'responses', to: 'chat' }))).toContain(
        'invalid_tool_choice',
      )
    }
  })

  test('Hosted tools are chosen by any name of their family.', () => {
    const { value } = choose(
      [{ type: 'web_search' }, fn('a')],
      { type: 'web_search_preview' },
      { from: 'responses', to: 'messages' },
    )
    expect(value.tool_choice).toEqual({ type: 'tool', name: 'web_search' })
  })

  test('An MCP server is chosen by its label.', () => {
    const server = (label: string): object => ({
      type: 'mcp',
      server_label: label,
      server_url: `https://${label}.example`,
    })
    const hostedTools = { mcp: { policy: 'handler', parameters: exact } } as const
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'b' }] }
    const { value, undo } = choose([server('a'), server('b')], allowed, {
      from: 'responses',
      to: 'messages',
      hostedTools,
    })
    expect(value.tools).toHaveLength(1)
    const [{ name } = { name: '' }] = value.tools as { name: string }[]
    expect(undo.restoreCall({ kind: 'function', name, arguments: '{}' })).toMatchObject({
      kind: 'hosted',
      type: 'mcp',
      label: 'b',
      handled: true,
    })
  })

  test('An ambiguous or undeclared name is reported and left out.', () => {
    const group = (name: string): object => ({ type: 'namespace', name, description: 'd', tools: [fn('a')] })
    const ambiguous = choose(
      [group('n'), group('m')],
      { type: 'function', name: 'a' },
      { from: 'responses', to: 'chat' },
    )
    expect(ambiguous.value).not.toHaveProperty('tool_choice')
    expect(codes(ambiguous)).toContain('tool_choice_undeclared')
  })

  test('Legacy functions and a modern choice each keep their form on Chat.', () => {
    const body = { functions: [{ name: 'a' }], tool_choice: 'required' }
    expect(convertToolParams(body, { from: 'chat', to: 'chat' }).value).toEqual(body)
    const both = {
      tools: [{ type: 'function', function: { name: 't' } }],
      functions: [{ name: 'a', x: 1 }],
      function_call: 'auto',
    }
    expect(convertToolParams(both, { from: 'chat', to: 'chat' }).value).toEqual(both)
  })
})

describe('strict across providers', () => {
  test("A strict tool that the target's rules refuse becomes non-strict, and this is reported. [field B09]", () => {
    const tool = { name: 'a', strict: true, input_schema: { ...optional, additionalProperties: false } }
    for (const to of ['responses', 'chat'] as const) {
      const result = convertTools([tool], { from: 'messages', to })
      expect(JSON.stringify(result.value)).toContain('"strict":false')
      expect(codes(result)).toContain('strict_dropped')
    }
  })

  test("Strictify follows the target's rules.", () => {
    const limited = { type: 'object', properties: { s: { type: 'string', minLength: 2 } }, required: ['s'] }
    const { value } = convertTools([{ type: 'function', name: 'f', parameters: limited }], {
      from: 'responses',
      to: 'messages',
      strict: 'strictify',
    })
    expect(value).toMatchObject([{ strict: true }])
    expect(JSON.stringify(value)).not.toContain('"minLength"')
  })

  test('A correctly placed strict is not overruled by a misplaced one. [C2]', () => {
    const tool = { type: 'function', strict: true, function: { name: 'a', strict: false, parameters: exact } }
    expect(
      convertTools([tool], { from: 'chat', to: 'responses', misplacedStrict: 'honour' }).value,
    ).toMatchObject([{ strict: false }])
  })
})

describe('undo', () => {
  test('A call to a deferred tool whose namespace repeats its name is recognised.', () => {
    const { value, undo } = convertTools([{ name: 'very.long', defer_loading: true, input_schema: exact }], {
      from: 'messages',
      to: 'responses',
    })
    const { name } = value[0] as { name: string }
    expect(undo.restoreCall({ kind: 'function', name, namespace: name, arguments: '{}' })).toEqual({
      kind: 'function',
      name: 'very.long',
      arguments: '{}',
    })
  })

  test('Removing a null leaves every other value exactly as it was written.', () => {
    const parameters = {
      type: 'object',
      properties: { id: { type: 'integer' }, opt: { type: 'string' }, t: { type: 'string' } },
      required: ['id'],
    }
    const { undo } = convertTools([{ type: 'function', function: { name: 'f', parameters } }], {
      from: 'chat',
      to: 'responses',
      strict: 'strictify',
    })
    const call = (text: string): unknown => undo.restoreCall({ kind: 'function', name: 'f', arguments: text })
    expect(call('{"id": 12345678901234567890, "opt": null}')).toMatchObject({
      arguments: '{"id":12345678901234567890}',
    })
    expect(call('{"id": 1.0, "opt": null, "t": "number:0"}')).toMatchObject({
      arguments: '{"id":1.0,"t":"number:0"}',
    })
  })
})

describe('names', () => {
  test("The target's own web search keeps its name.", () => {
    const { value } = convertTools([fn('web_search'), { type: 'web_search' }], {
      from: 'responses',
      to: 'messages',
    })
    const names = (value as { name: string }[]).map(({ name }) => name)
    expect(new Set(names).size).toBe(2)
    expect(names[1]).toBe('web_search')
  })
})

describe('odd values', () => {
  test('A list of domains that is not a list is not lost. [D6]', () => {
    const result = convertTools([{ type: 'web_search', filters: { allowed_domains: 'example.com' } }], {
      from: 'responses',
      to: 'messages',
    })
    expect(result.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'field_dropped', path: [0, 'filters', 'allowed_domains'] }),
    )
  })

  test('A type nested 200,000 deep is reported like any other.', () => {
    let type: unknown = 'x'
    for (let i = 0; i < 200_000; i++) type = [type]
    for (const from of ['chat', 'responses', 'messages'] as const) {
      expect(codes(convertTools([{ type }], { from, to: 'chat' }))).toContain('unknown_type')
    }
  })

  test('A list whose tools were all dropped is left out.', () => {
    const { value } = convertToolParams(
      {
        tools: [{ type: 'file_search', vector_store_ids: [] }],
        parallel_tool_calls: false,
        tool_choice: 'required',
      },
      { from: 'responses', to: 'chat' },
    )
    expect(value).toEqual({})
  })

  test('A namespace whose tools were all dropped is dropped too.', () => {
    const group = { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'mystery' }] }
    const result = convertTools([group], {
      from: 'responses',
      to: 'responses',
      unknownTools: 'drop',
      hostedTools: 'drop',
    })
    expect(result.value).toEqual([group])
    expect(
      convertTools([{ ...group, tools: [{ type: 'image_generation' }] }], {
        from: 'responses',
        to: 'responses',
        hostedTools: 'drop',
      }).value,
    ).toEqual([])
  })
})

describe('wrong options are thrown at once', () => {
  test.each<[object, string]>([
    [{ to: 'openai' }, '"to" must be one of chat, responses, messages; got "openai".'],
    [
      { hostedTools: 'keep' },
      '"hostedTools" must be one of emulate, drop, handler, pass, error; got "keep".',
    ],
    [{ hostedTools: { mcp: 'keep' } }, '"hostedTools.mcp" must be one of'],
    [{ hostedTools: null }, '"hostedTools" must be one of'],
    [{ strict: 'yes' }, '"strict" must be one of preserve, omit, strictify; got "yes".'],
    [{ unknownTools: 1 }, '"unknownTools" must be one of drop, pass, error; got 1.'],
    [{ profile: { nameMaxLength: 3 } }, '"profile.nameMaxLength" must be at least 16; got 3.'],
    [{ profile: { nameCharacters: 'a-z' } }, '"profile.nameCharacters" must allow'],
    [
      { profile: { namespaces: true } },
      '"profile.namespaces" cannot be true: the chat wire cannot express it.',
    ],
  ])('The wrong option %j throws.', (option, message) => {
    expect(() =>
      convertTools([], { from: 'responses', to: 'chat', ...option } as ConvertToolsOptions),
    ).toThrow(message)
  })
})

describe('encodeTools', () => {
  test('encodeTools writes defined tools for every wire, with no other fields.', () => {
    const tool = { name: 'get weather', description: 'd', parameters: exact, handler: () => 1 }
    const { value, undo, diagnostics } = encodeTools([tool], { to: 'messages' })
    const [{ name, ...rest }] = value as [{ name: string }]
    expect(rest).toEqual({ description: 'd', input_schema: exact })
    expect(undo.restoreCall({ kind: 'function', name, arguments: '{}' }).name).toBe('get weather')
    expect(diagnostics.map(({ code }) => code)).toEqual(['tool_renamed'])
    expect(encodeTools([{ ...tool, name: 'w' }], { to: 'responses' }).value).toEqual([
      { type: 'function', name: 'w', description: 'd', strict: false, parameters: exact },
    ])
    expect(encodeTools([{ ...tool, name: 'w', strict: true }], { to: 'chat' }).value).toMatchObject([
      { function: { strict: true } },
    ])
  })
})
