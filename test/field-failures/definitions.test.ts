/** What other bridges got wrong with definitions, choices and schemas; each test names the failure it repeats. */
import { convertToolParams, convertTools } from '@toolwire/core'
import { strictify } from '@toolwire/core/schema'
import { describe, expect, test } from 'vitest'

const parameters = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
const chat = (name: string, more: object = {}): object => ({
  type: 'function',
  function: { name, parameters, ...more },
})
const codes = (result: { diagnostics: { code: string }[] }): string[] =>
  result.diagnostics.map(({ code }) => code)

describe('tool definitions', () => {
  test('A Chat tool without strict becomes explicitly non-strict on Responses. [field B01] [C1]', () => {
    const { value } = convertTools(
      [chat('a'), chat('b', { strict: null }), chat('c', { strict: true }), chat('d', { strict: false })],
      {
        from: 'chat',
        to: 'responses',
      },
    )
    expect(value.map(tool => (tool as { strict?: unknown }).strict)).toEqual([false, false, true, false])
  })

  test('On request strict is left out if the source left it out. [C1]', () => {
    const { value } = convertTools([chat('a'), chat('b', { strict: true })], {
      from: 'chat',
      to: 'responses',
      strict: 'omit',
    })
    expect(value).toEqual([
      { type: 'function', name: 'a', parameters },
      { type: 'function', name: 'b', strict: true, parameters },
    ])
  })

  test('Strict left to a Responses server is true on Chat only for a schema that already obeys. [C1]', () => {
    const exact = { ...parameters, additionalProperties: false }
    const loose = { ...parameters, required: [] }
    const tool = (name: string, schema: object, strict?: null): object => ({
      type: 'function',
      name,
      parameters: schema,
      ...(strict === null && { strict }),
    })
    for (const to of ['chat', 'messages'] as const) {
      const { value, diagnostics } = convertTools(
        [tool('a', exact), tool('b', exact, null), tool('c', loose), tool('d', loose, null)],
        { from: 'responses', to },
      )
      const strict = value.map(written => {
        const { function: fn, ...flat } = written as { function?: { strict?: boolean }; strict?: boolean }
        return (fn ?? flat).strict
      })
      expect(strict).toEqual([true, true, undefined, undefined])
      expect(diagnostics.filter(({ code }) => code === 'strict_auto_resolved')).toHaveLength(4)
    }
  })

  test('A tool without parameters is kept, with an empty schema where one is required. [field B03]', () => {
    const bare = { type: 'function', function: { name: 'ping' } }
    const empty = { type: 'object', properties: {} }
    expect(convertTools([bare], { from: 'chat', to: 'messages' }).value).toEqual([
      { name: 'ping', input_schema: empty },
    ])
    expect(convertTools([bare], { from: 'chat', to: 'responses' }).value).toEqual([
      { type: 'function', name: 'ping', strict: false, parameters: empty },
    ])
  })

  test('Empty and null parameters become an empty object schema, and this is reported. [C23]', () => {
    for (const given of [{}, null, undefined]) {
      const result = convertTools([chat('f', { parameters: given })], { from: 'chat', to: 'responses' })
      expect(result.value).toMatchObject([{ parameters: { type: 'object', properties: {} } }])
      expect(codes(result)).toContain('parameters_defaulted')
    }
  })

  test('OneOf with exclusive branches becomes anyOf under strict; otherwise the tool is left non-strict. [field B05]', () => {
    const branch = (kind: string): object => ({
      type: 'object',
      properties: { kind: { const: kind } },
      required: ['kind'],
    })
    const exclusive = {
      type: 'object',
      properties: { shape: { oneOf: [branch('a'), branch('b')] } },
      required: ['shape'],
    }
    const done = strictify(exclusive)
    expect(done.strict).toBe(true)
    expect(JSON.stringify(done.schema)).toContain('"anyOf"')
    expect(JSON.stringify(done.schema)).not.toContain('"oneOf"')
    const overlapping = {
      type: 'object',
      properties: { v: { oneOf: [{ type: 'number' }, { type: 'integer' }] } },
      required: ['v'],
    }
    expect(strictify(overlapping)).toMatchObject({ strict: false, schema: overlapping })
  })

  test('The keyword default is removed in strict mode. [field B07]', () => {
    const { schema, strict } = strictify({
      type: 'object',
      properties: { n: { type: 'integer', default: 3 } },
      required: ['n'],
    })
    expect(strict).toBe(true)
    expect(JSON.stringify(schema)).not.toContain('"default"')
  })

  test('One tool that cannot be strict is reported and leaves the others alone. [field B09]', () => {
    const open = {
      type: 'object',
      properties: { map: { type: 'object', additionalProperties: { type: 'string' } } },
      required: ['map'],
    }
    const { value, diagnostics } = convertTools([chat('open', { parameters: open }), chat('fine')], {
      from: 'chat',
      to: 'responses',
      strict: 'strictify',
    })
    expect(value).toMatchObject([
      { name: 'open', strict: false, parameters: open },
      { name: 'fine', strict: true },
    ])
    expect(diagnostics.some(({ path }) => path[0] === 0 && path.includes('map'))).toBe(true)
  })

  test('Names over 64 characters are shortened, stay distinct, and are restored in calls and choices. [field B11] [D4]', () => {
    const long = (end: string): string => `mcp__${'server_'.repeat(10)}${end}`
    const { value, undo } = convertToolParams(
      {
        tools: [
          { name: long('one'), input_schema: parameters },
          { name: long('two'), input_schema: parameters },
        ],
        tool_choice: { type: 'tool', name: long('two') },
      },
      { from: 'messages', to: 'chat' },
    )
    const names = (value.tools as { function: { name: string } }[]).map(tool => tool.function.name)
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(names.map(name => undo.restoreCall({ kind: 'function', name, arguments: '{}' }).name)).toEqual([
      long('one'),
      long('two'),
    ])
    expect(value.tool_choice).toEqual({ type: 'function', function: { name: names[1] } })
  })

  const renamed = (names: readonly string[]): Map<string, string> => {
    const tools = names.map(name => ({ name, input_schema: parameters }))
    const { value, undo } = convertTools(tools, { from: 'messages', to: 'chat' })
    const written = value.map(tool => (tool as { function: { name: string } }).function.name)
    const restored = written.map(name => undo.restoreCall({ kind: 'function', name, arguments: '{}' }).name)
    expect(restored).toEqual(names)
    expect(new Set(written).size).toBe(names.length)
    for (const name of written) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    return new Map(names.map((name, i) => [name, written[i] ?? '']))
  }

  test('A name that does not fit becomes the same legal name in every list, order and process. [D4]', () => {
    const long = 'x'.repeat(70)
    const names = ['a.b', 'fits', 'a:b', 'a b', 'a_b', 'größe', `${long}1`, `${long}2`, '工具', '道具']
    const all = renamed(names)
    expect(renamed(names.toReversed())).toEqual(new Map([...all].toReversed()))
    for (const name of names) expect(renamed([name]).get(name)).toBe(all.get(name))
    for (const name of ['fits', 'a_b']) expect(all.get(name)).toBe(name)
    // Histories are kept longer than processes run.
    expect(all.get('a.b')).toBe('a_b_81d7e926')
  })

  test('A generated name is never the name of another tool. [D4]', () => {
    const made = renamed(['a.b']).get('a.b') ?? ''
    for (const names of [
      ['a.b', made],
      [made, 'a.b'],
    ]) {
      const found = renamed(names)
      expect(found.get(made)).toBe(made)
      expect(found.get('a.b')).not.toBe(made)
    }
  })

  test('A custom tool with a grammar becomes a function with one string and comes back with its raw input. [field B13] [C8]', () => {
    const definition = 'start: begin hunk+\nbegin: "*** Begin Patch"'
    const tool = {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files',
      format: { type: 'grammar', syntax: 'lark', definition },
    }
    for (const to of ['chat', 'messages'] as const) {
      const { value, undo } = convertTools([tool], { from: 'responses', to })
      const text = JSON.stringify(value)
      expect(text).toContain(JSON.stringify(definition).slice(1, -1))
      expect(text).toContain('Edits files')
      expect(text).toContain('"required":["input"]')
      const input = '*** Begin Patch\n"quoted" \\ and ünïcode\n'
      expect(
        undo.restoreCall({ kind: 'function', name: 'apply_patch', arguments: JSON.stringify({ input }) }),
      ).toEqual({
        kind: 'custom',
        name: 'apply_patch',
        input,
      })
    }
  })

  test('A model that ignores the wrapping still reaches the custom tool. [field B13]', () => {
    const { undo } = convertTools([{ type: 'custom', name: 'note' }], { from: 'responses', to: 'chat' })
    expect(undo.restoreCall({ kind: 'function', name: 'note', arguments: 'plain text' })).toMatchObject({
      kind: 'custom',
      input: 'plain text',
    })
  })

  test('A namespace is flattened and restored, also from the bare name when only one tool has it. [field B15] [field B17] [D1]', () => {
    const inner = (name: string): object => ({ type: 'function', name, parameters, strict: false })
    const { value, undo } = convertTools(
      [
        {
          type: 'namespace',
          name: 'mcp__demo',
          description: 'Demo',
          tools: [inner('search_docs'), inner('wait')],
        },
        { type: 'namespace', name: 'team', description: 'Team', tools: [inner('wait')] },
      ],
      { from: 'responses', to: 'chat' },
    )
    const names = value.map(tool => (tool as { function: { name: string } }).function.name)
    expect(names).toEqual(['mcp__demo__search_docs', 'mcp__demo__wait', 'team__wait'])
    const call = (name: string): object => undo.restoreCall({ kind: 'function', name, arguments: '{}' })
    expect(call('mcp__demo__search_docs')).toEqual({
      kind: 'function',
      name: 'search_docs',
      namespace: 'mcp__demo',
      arguments: '{}',
    })
    expect(call('search_docs')).toMatchObject({ name: 'search_docs', namespace: 'mcp__demo' })
    expect(call('wait')).toEqual({ kind: 'function', name: 'wait', arguments: '{}' })
  })

  test('A hosted tool is removed from a Chat request with a report, or refused, and leaves no junk. [field B19]', () => {
    const hosted = [
      { type: 'web_search' },
      { type: 'image_generation' },
      { type: 'mcp', server_label: 'x', server_url: 'https://x.example' },
    ]
    const result = convertTools([...hosted, { type: 'function', name: 'a', parameters, strict: false }], {
      from: 'responses',
      to: 'chat',
    })
    expect(result.value).toHaveLength(1)
    expect(codes(result)).toEqual(['hosted_tool_dropped', 'hosted_tool_dropped', 'hosted_tool_dropped'])
    const refused = convertTools(hosted, { from: 'responses', to: 'chat', hostedTools: 'error' })
    expect(refused.diagnostics.map(({ code, severity }) => [code, severity])).toEqual(
      hosted.map(() => ['hosted_tool_refused', 'error']),
    )
  })

  test('The grammar of a custom tool is re-nested both ways. [field B21]', () => {
    const flat = {
      type: 'custom',
      name: 'g',
      format: { type: 'grammar', syntax: 'regex', definition: '^a$' },
    }
    const nested = {
      type: 'custom',
      custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'regex', definition: '^a$' } } },
    }
    expect(convertTools([nested], { from: 'chat', to: 'responses' }).value).toEqual([flat])
    expect(
      convertTools([flat], { from: 'responses', to: 'chat', profile: { customTools: true } }).value,
    ).toEqual([nested])
  })

  test('Messages tools without a type are ordinary tools. [field B29]', () => {
    const { value } = convertTools([{ name: 'a', input_schema: parameters }], {
      from: 'messages',
      to: 'responses',
    })
    expect(value).toEqual([{ type: 'function', name: 'a', strict: false, parameters }])
  })
})

describe('tool choice', () => {
  const tools = [{ type: 'function', function: { name: 'a', parameters } }]

  test('A named function and a named custom tool are converted both ways. [field B23]', () => {
    const named = (choice: unknown, from: 'chat' | 'responses', to: 'chat' | 'responses'): unknown => {
      const declared =
        from === 'chat'
          ? [...tools, { type: 'custom', custom: { name: 'c' } }]
          : [
              { type: 'function', name: 'a', parameters, strict: false },
              { type: 'custom', name: 'c' },
            ]
      return convertToolParams(
        { tools: declared, tool_choice: choice },
        { from, to, profile: { customTools: true } },
      ).value.tool_choice
    }
    expect(named({ type: 'function', function: { name: 'a' } }, 'chat', 'responses')).toEqual({
      type: 'function',
      name: 'a',
    })
    expect(named({ type: 'function', name: 'a' }, 'responses', 'chat')).toEqual({
      type: 'function',
      function: { name: 'a' },
    })
    expect(named({ type: 'custom', custom: { name: 'c' } }, 'chat', 'responses')).toEqual({
      type: 'custom',
      name: 'c',
    })
    expect(named({ type: 'custom', name: 'c' }, 'responses', 'chat')).toEqual({
      type: 'custom',
      custom: { name: 'c' },
    })
  })

  test('A malformed choice is an error with its path, and never silently auto. [field B25]', () => {
    for (const choice of [
      'sometimes',
      7,
      {},
      { type: 'function' },
      { type: 'tool' },
      { type: 'allowed_tools', mode: 'maybe', tools: [] },
    ]) {
      const { value, diagnostics } = convertToolParams(
        { tools, tool_choice: choice },
        { from: 'chat', to: 'messages' },
      )
      expect(value).not.toHaveProperty('tool_choice')
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ code: 'invalid_tool_choice', severity: 'error', path: ['tool_choice'] }),
      )
    }
  })

  test('A subset of allowed tools applies to every form of declaration. [field B31]', () => {
    const { value } = convertToolParams(
      {
        tools: [
          { type: 'function', name: 'a', parameters, strict: false },
          { type: 'custom', name: 'c' },
          {
            type: 'namespace',
            name: 'n',
            description: 'd',
            tools: [{ type: 'function', name: 'inner', parameters, strict: false }],
          },
          { type: 'local_shell' },
        ],
        input: [
          {
            type: 'additional_tools',
            role: 'developer',
            tools: [{ type: 'function', name: 'late', parameters, strict: false }],
          },
        ],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [
            { type: 'function', name: 'inner' },
            { type: 'custom', name: 'c' },
          ],
        },
      },
      { from: 'responses', to: 'messages' },
    )
    expect((value.tools as { name: string }[]).map(({ name }) => name)).toEqual(['c', 'n__inner'])
    expect(value.tool_choice).toEqual({ type: 'any' })
  })
})
