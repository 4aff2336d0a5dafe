import { describe, expect, it } from 'vitest'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { lintToolParams, lintTools } from './lint-tools.ts'

const fn = (parameters: unknown): unknown => ({
  type: 'function',
  function: { name: 'f', description: 'd', parameters },
})
const flat = (fields: object): unknown => ({
  type: 'function',
  name: 'f',
  description: 'd',
  strict: false,
  ...fields,
})
const messages = (input_schema: unknown): unknown => ({ name: 'f', description: 'd', input_schema })

const lint = (wire: Wire, tool: unknown): [DiagnosticCode, string, unknown][] =>
  lintTools([tool], { wire }).findings.map(({ code, path, fix }) => [
    code,
    path.slice(1).join('.'),
    fix?.edits.map(({ value }) => value),
  ])

const properties = (member: unknown): unknown => fn({ type: 'object', properties: { x: member } })
const inSchema = 'function.parameters'
const inX = `${inSchema}.properties.x`

describe('parameters', () => {
  it.each([
    ['responses', flat({})],
    ['messages', { name: 'f', description: 'd' }],
  ] as const)('must be given on %s', (wire, tool) => {
    const key = wire === 'messages' ? 'input_schema' : 'parameters'
    expect(lint(wire, tool)).toEqual([['missing_parameters', key, [{ type: 'object', properties: {} }]]])
  })

  it('may be left out on chat, inside a namespace, and as null on responses', () => {
    expect(lint('chat', { type: 'function', function: { name: 'f', description: 'd' } })).toEqual([])
    expect(lint('responses', flat({ parameters: null }))).toEqual([])
    const namespace = { type: 'namespace', name: 'n', description: 'd', tools: [flat({})] }
    expect(lint('responses', namespace)).toEqual([])
  })

  it.each([[[]], ['{}'], [7], [true]])('must not be %j', parameters => {
    expect(lint('chat', fn(parameters))).toEqual([['parameters_not_object', inSchema, undefined]])
  })

  it('must not be null on chat', () => {
    expect(lint('chat', fn(null))).toEqual([
      ['parameters_not_object', inSchema, [{ type: 'object', properties: {} }]],
    ])
  })

  it.each([
    ['an empty schema', {}, inSchema, [{ type: 'object', properties: {} }]],
    ['a root without a type', { properties: {} }, `${inSchema}.type`, ['object']],
    [
      'a root that is a reference',
      { $ref: '#/$defs/a', properties: {}, $defs: { a: {} } },
      `${inSchema}.type`,
      undefined,
    ],
  ])('must say their type: %s', (_, parameters, path, fix) => {
    expect(lint('chat', fn(parameters))).toEqual([['missing_root_type', path, fix]])
  })

  it('must be an object', () => {
    expect(lint('messages', messages({ type: 'string' }))).toEqual([
      ['parameters_not_object', 'input_schema.type', undefined],
    ])
    expect(lint('messages', messages({ type: ['object', 'null'] }))).toEqual([
      ['parameters_not_object', 'input_schema.type', ['object']],
    ])
  })

  it('must list their properties on the OpenAI wires', () => {
    expect(lint('chat', fn({ type: 'object' }))).toEqual([
      ['missing_properties', `${inSchema}.properties`, [{}]],
    ])
    expect(lint('messages', messages({ type: 'object' }))).toEqual([])
  })

  it.each(['oneOf', 'anyOf', 'allOf'])('must not have %s at the root', keyword => {
    const schema = { type: 'object', properties: {}, [keyword]: [{ required: [] }] }
    expect(lint('chat', fn(schema))).toEqual([['root_keyword_refused', `${inSchema}.${keyword}`, undefined]])
    expect(lint('messages', messages(schema))).toEqual([
      ['root_keyword_refused', `input_schema.${keyword}`, undefined],
    ])
    expect(lint('chat', properties({ [keyword]: [{ type: 'string' }] }))).toEqual([])
  })

  it('must not have enum at the root on the OpenAI wires', () => {
    const schema = { type: 'object', properties: {}, enum: [{}] }
    expect(lint('chat', fn(schema))).toEqual([['root_keyword_refused', `${inSchema}.enum`, undefined]])
    expect(lint('messages', messages(schema))).toEqual([])
  })

  it.each(['filter[id]', 'a b', 'n'.repeat(65), ''])('must not name a property %j on messages', name => {
    const schema = { type: 'object', properties: { [name]: {} } }
    expect(lint('messages', messages(schema))).toEqual([
      ['property_name_refused', `input_schema.properties.${name}`, undefined],
    ])
    expect(lint('chat', fn(schema))).toEqual([])
    const nested = { type: 'object', properties: { ok: schema } }
    expect(lint('messages', messages(nested))).toEqual([])
  })
})

describe('schemas', () => {
  it('refuse an array without items on the OpenAI wires', () => {
    expect(lint('chat', properties({ type: ['array', 'null'] }))).toEqual([
      ['array_without_items', inX, undefined],
    ])
    expect(lint('chat', properties({ type: 'array', items: {} }))).toEqual([])
    expect(lint('chat', properties({ type: 'array', prefixItems: [{}] }))).toEqual([])
    expect(lint('messages', messages({ type: 'object', properties: { x: { type: 'array' } } }))).toEqual([])
  })

  it('warn of a required property that is not declared', () => {
    const object = { type: 'object', properties: { a: {} }, required: ['a', 'b'] }
    expect(lint('chat', properties(object))).toEqual([
      ['undeclared_required', `${inX}.required.1`, undefined],
    ])
    expect(lint('chat', properties({ ...object, required: ['a'] }))).toEqual([])
    expect(lint('chat', properties({ ...object, allOf: [{ properties: { b: {} } }] }))).toEqual([])
  })

  it('take "constructor" for declared only when it is', () => {
    const object = { type: 'object', properties: {}, required: ['constructor'] }
    expect(lint('chat', properties(object))).toEqual([
      ['undeclared_required', `${inX}.required.0`, undefined],
    ])
  })

  it.each([
    ['required', 'a'],
    ['required', null],
    ['required', [1]],
    ['required', true],
    ['properties', []],
    ['items', []],
    ['items', 'string'],
    ['enum', 'a'],
    ['anyOf', {}],
    ['oneOf', []],
    ['allOf', ['x']],
    ['$ref', 7],
    ['pattern', 7],
  ])('refuse %s: %j', (keyword, value) => {
    expect(lint('chat', properties({ [keyword]: value }))).toEqual([
      ['schema_keyword_invalid', `${inX}.${keyword}`, undefined],
    ])
  })

  it('refuse a property that is no schema', () => {
    expect(lint('chat', properties('string'))).toEqual([['schema_keyword_invalid', inX, undefined]])
    expect(lint('chat', properties(true))).toEqual([])
  })

  it('refuse an empty enum', () => {
    expect(lint('chat', properties({ enum: [] }))).toEqual([['empty_enum', `${inX}.enum`, undefined]])
    expect(lint('chat', properties({ enum: [null] }))).toEqual([])
  })

  it.each([
    ['str', undefined],
    [7, undefined],
    ['STRING', ['string']],
    [['String', 'NULL'], [['string', 'null']]],
    [['string', 'nope'], undefined],
  ])('refuse the type %j', (type, fix) => {
    expect(lint('chat', properties({ type }))).toEqual([['schema_type_unknown', `${inX}.type`, fix]])
  })

  it.each([['#/$defs/none'], ['#nowhere'], ['https://example.com/a.json'], ['other.json#/a']])(
    'refuse the reference %s',
    ref => {
      expect(lint('chat', properties({ $ref: ref }))).toEqual([
        ['schema_ref_unresolved', `${inX}.$ref`, undefined],
      ])
    },
  )

  it('take a reference that leads somewhere', () => {
    const schema = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a' }, y: { $ref: '#' } },
      $defs: { a: {} },
    }
    expect(lint('chat', fn(schema))).toEqual([])
  })

  it('refuse a pattern that is no expression', () => {
    expect(lint('chat', properties({ pattern: '(' }))).toEqual([
      ['pattern_invalid', `${inX}.pattern`, undefined],
    ])
    expect(lint('chat', properties({ pattern: '^(?=a)b$' }))).toEqual([])
  })

  it('report a schema too deep to look into, and look no further', () => {
    let deep: unknown = { type: 'nope' }
    for (let i = 0; i < 10_000; i++) deep = { type: 'object', properties: { x: deep } }
    expect(lint('chat', fn(deep))).toEqual([['schema_too_deep', inSchema, undefined]])
  })

  it('grow no graver on the way to another wire than the conversion makes them', () => {
    const tool = properties({ type: 'nope' })
    const severity = (target: Wire): unknown =>
      lintTools([tool], { wire: 'chat', target }).findings[0]?.severity
    expect([severity('chat'), severity('messages')]).toEqual(['error', 'warning'])
  })
})

describe('free-text tools', () => {
  const custom = (format: unknown): unknown => ({ type: 'custom', name: 'c', description: 'd', format })
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }

  it('take text and grammars', () => {
    expect(lint('responses', custom(undefined))).toEqual([])
    expect(lint('responses', custom({ type: 'text' }))).toEqual([])
    expect(lint('responses', custom(grammar))).toEqual([])
  })

  it.each([
    [7, 'invalid_field', 'format'],
    [{ type: 'yaml' }, 'invalid_field', 'format.type'],
    [{ ...grammar, syntax: 'bnf' }, 'invalid_field', 'format.syntax'],
    [{ type: 'grammar', definition: 'x' }, 'missing_field', 'format.syntax'],
    [{ type: 'grammar', syntax: 'regex' }, 'missing_field', 'format.definition'],
    [{ ...grammar, definition: '' }, 'missing_field', 'format.definition'],
  ])('refuse the format %j', (format, code, path) => {
    expect(lint('responses', custom(format))).toEqual([[code, path, undefined]])
  })

  it('have the grammar where the wire has it', () => {
    const { type, ...inner } = grammar
    const nested = { type, grammar: inner }
    const flatTool = custom(grammar)
    expect(lint('responses', custom(nested))).toEqual([['mixed_shape', 'format.type', [flatTool]]])
    const chat = (format: unknown): unknown => ({
      type: 'custom',
      custom: { name: 'c', description: 'd', format },
    })
    expect(lint('chat', chat(nested))).toEqual([])
    expect(lint('chat', chat(grammar))).toEqual([['mixed_shape', 'custom.format.type', [chat(nested)]]])
  })
})

describe('namespaces', () => {
  const inner = flat({ parameters: { type: 'object', properties: {} } })

  it('have a description and at least one tool', () => {
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools: [inner] })).toEqual([])
    expect(lint('responses', { type: 'namespace', name: 'n', tools: [inner] })).toEqual([
      ['missing_field', 'description', undefined],
    ])
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools: [] })).toEqual([
      ['empty_namespace', 'tools', undefined],
    ])
  })

  it('have their tools linted', () => {
    const tools = [flat({ name: 'x', parameters: { type: 'object' } })]
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools })).toEqual([
      ['missing_properties', 'tools.0.parameters.properties', [{}]],
    ])
  })
})

describe('hosted tools', () => {
  it.each([
    ['responses', { type: 'file_search', vector_store_ids: ['v'] }, ['vector_store_ids']],
    ['responses', { type: 'code_interpreter', container: { type: 'auto' } }, ['container']],
    [
      'responses',
      { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'linux' },
      ['display_width', 'display_height', 'environment'],
    ],
    [
      'responses',
      { type: 'mcp', server_label: 'a', server_url: 'https://a' },
      ['server_label', 'server_url'],
    ],
    ['messages', { type: 'web_search_20250305', name: 'web_search' }, ['name']],
    ['messages', { type: 'bash_20990101', name: 'bash' }, ['name']],
  ] as const)('on %s, %j need their fields', (wire, tool, fields) => {
    expect(lint(wire, tool)).toEqual([])
    for (const field of fields) {
      expect(lint(wire, { ...tool, [field]: undefined })).toEqual([['missing_field', field, undefined]])
    }
  })

  it('reach an MCP server in one way only', () => {
    const tool = { type: 'mcp', server_label: 'a', server_url: 'https://a', tunnel_id: 't' }
    expect(lint('responses', tool)).toEqual([['invalid_field', 'tunnel_id', undefined]])
  })
})

describe('a request body', () => {
  const tools = [fn({ type: 'object', properties: {} })]
  const findings = (body: unknown, wire: Wire = 'chat'): [string, string][] =>
    lintToolParams(body, { wire }).findings.map(({ code, path }) => [code, path.join('.')])

  it('must be an object', () => {
    expect(findings(7)).toEqual([['invalid_request', '']])
    expect(findings({})).toEqual([])
  })

  it.each([
    ['auto', []],
    [{ type: 'function', function: { name: 'f' } }, []],
    [{ type: 'function', function: { name: 'g' } }, [['tool_choice_undeclared', 'tool_choice']]],
    [{ type: 'custom', custom: { name: 'f' } }, [['tool_choice_undeclared', 'tool_choice']]],
    ['sometimes', [['invalid_tool_choice', 'tool_choice']]],
  ])('chooses %j', (tool_choice, expected) => {
    expect(findings({ tools, tool_choice })).toEqual(expected)
  })

  it('allows only tools that it declares', () => {
    const allowed = (name: string): object => ({ type: 'function', function: { name } })
    const tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [allowed('f'), allowed('g')] },
    }
    expect(findings({ tools, tool_choice })).toEqual([
      ['tool_choice_undeclared', 'tool_choice.allowed_tools.tools.1'],
    ])
  })

  it('chooses hosted tools by type and label', () => {
    const declared = [
      { type: 'web_search' },
      { type: 'mcp', server_label: 'a', server_url: 'https://a' },
      { type: 'namespace', name: 'n', description: 'd', tools: [flat({ name: 'inner' })] },
    ]
    const choose = (tool_choice: unknown): unknown =>
      findings({ input: 'x', tools: declared, tool_choice }, 'responses')
    expect(choose({ type: 'web_search_preview' })).toEqual([])
    expect(choose({ type: 'mcp', server_label: 'a' })).toEqual([])
    expect(choose({ type: 'function', name: 'inner', namespace: 'n' })).toEqual([])
    const refused = [['tool_choice_undeclared', 'tool_choice']]
    expect(choose({ type: 'mcp', server_label: 'b' })).toEqual(refused)
    expect(choose({ type: 'image_generation' })).toEqual(refused)
    expect(choose({ type: 'function', name: 'inner', namespace: 'm' })).toEqual(refused)
  })

  it('chooses a hosted tool of messages by its name', () => {
    const declared = [{ type: 'bash_20250124', name: 'bash' }]
    expect(findings({ tools: declared, tool_choice: { type: 'tool', name: 'bash' } }, 'messages')).toEqual([])
  })

  it('does not choose without tools', () => {
    expect(findings({ tool_choice: 'required' })).toEqual([['tool_choice_without_tools', 'tool_choice']])
  })

  it('should not use the deprecated functions', () => {
    const functions = [{ name: 'f', description: 'd' }]
    expect(findings({ functions })).toEqual([['legacy_functions', 'functions']])
    expect(findings({ functions, function_call: { name: 'g' } })).toEqual([
      ['legacy_functions', 'functions'],
      ['tool_choice_undeclared', 'function_call'],
    ])
  })

  it('has the tools in its input linted too', () => {
    const item = {
      type: 'additional_tools',
      tools: [flat({ name: 'a b', parameters: { type: 'object', properties: {} } })],
    }
    expect(findings({ input: [item] }, 'responses')).toEqual([['name_characters', 'input.0.tools.0.name']])
  })
})
