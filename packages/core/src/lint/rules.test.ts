import { describe, expect, test } from 'vitest'
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
  test.each([
    ['responses', flat({})],
    ['messages', { name: 'f', description: 'd' }],
  ] as const)('Parameters are required on %s.', (wire, tool) => {
    const key = wire === 'messages' ? 'input_schema' : 'parameters'
    expect(lint(wire, tool)).toEqual([['missing_parameters', key, [{ type: 'object', properties: {} }]]])
  })

  test('Parameters may be left out on Chat and inside a namespace, and be null on Responses.', () => {
    expect(lint('chat', { type: 'function', function: { name: 'f', description: 'd' } })).toEqual([])
    expect(lint('responses', flat({ parameters: null }))).toEqual([])
    const namespace = { type: 'namespace', name: 'n', description: 'd', tools: [flat({})] }
    expect(lint('responses', namespace)).toEqual([])
  })

  test.each([[[]], ['{}'], [7], [true]])('Parameters must not be %j.', parameters => {
    expect(lint('chat', fn(parameters))).toEqual([['parameters_not_object', inSchema, undefined]])
  })

  test('Parameters must not be null on Chat.', () => {
    expect(lint('chat', fn(null))).toEqual([
      ['parameters_not_object', inSchema, [{ type: 'object', properties: {} }]],
    ])
  })

  test.each([
    ['an empty schema', {}, inSchema, [{ type: 'object', properties: {} }]],
    ['a root without a type', { properties: {} }, `${inSchema}.type`, ['object']],
    [
      'a root that is a reference',
      { $ref: '#/$defs/a', properties: {}, $defs: { a: {} } },
      `${inSchema}.type`,
      undefined,
    ],
  ])('Parameters must state their type: %s.', (_, parameters, path, fix) => {
    expect(lint('chat', fn(parameters))).toEqual([['missing_root_type', path, fix]])
  })

  test('Parameters must be an object.', () => {
    expect(lint('messages', messages({ type: 'string' }))).toEqual([
      ['parameters_not_object', 'input_schema.type', undefined],
    ])
    expect(lint('messages', messages({ type: ['object', 'null'] }))).toEqual([
      ['parameters_not_object', 'input_schema.type', ['object']],
    ])
  })

  test('Parameters must list their properties on the wires of OpenAI.', () => {
    expect(lint('chat', fn({ type: 'object' }))).toEqual([
      ['missing_properties', `${inSchema}.properties`, [{}]],
    ])
    expect(lint('messages', messages({ type: 'object' }))).toEqual([])
  })

  test.each(['oneOf', 'anyOf', 'allOf'])('Parameters must not have %s at the root.', keyword => {
    const schema = { type: 'object', properties: {}, [keyword]: [{ required: [] }] }
    expect(lint('chat', fn(schema))).toEqual([['root_keyword_refused', `${inSchema}.${keyword}`, undefined]])
    expect(lint('messages', messages(schema))).toEqual([
      ['root_keyword_refused', `input_schema.${keyword}`, undefined],
    ])
    expect(lint('chat', properties({ [keyword]: [{ type: 'string' }] }))).toEqual([])
  })

  test('Parameters must not have "enum" at the root on the wires of OpenAI.', () => {
    const schema = { type: 'object', properties: {}, enum: [{}] }
    expect(lint('chat', fn(schema))).toEqual([['root_keyword_refused', `${inSchema}.enum`, undefined]])
    expect(lint('messages', messages(schema))).toEqual([])
  })

  test.each(['filter[id]', 'a b', 'n'.repeat(65), ''])(
    'Parameters must not have a property %j on Messages.',
    name => {
      const schema = { type: 'object', properties: { [name]: {} } }
      expect(lint('messages', messages(schema))).toEqual([
        ['property_name_refused', `input_schema.properties.${name}`, undefined],
      ])
      expect(lint('chat', fn(schema))).toEqual([])
      const nested = { type: 'object', properties: { ok: schema } }
      expect(lint('messages', messages(nested))).toEqual([])
    },
  )
})

describe('schemas', () => {
  test('An array without items is refused on the wires of OpenAI.', () => {
    expect(lint('chat', properties({ type: ['array', 'null'] }))).toEqual([
      ['array_without_items', inX, undefined],
    ])
    expect(lint('chat', properties({ type: 'array', items: {} }))).toEqual([])
    expect(lint('chat', properties({ type: 'array', prefixItems: [{}] }))).toEqual([])
    expect(lint('messages', messages({ type: 'object', properties: { x: { type: 'array' } } }))).toEqual([])
  })

  test('A required property that is not declared is warned of.', () => {
    const object = { type: 'object', properties: { a: {} }, required: ['a', 'b'] }
    expect(lint('chat', properties(object))).toEqual([
      ['undeclared_required', `${inX}.required.1`, undefined],
    ])
    expect(lint('chat', properties({ ...object, required: ['a'] }))).toEqual([])
    expect(lint('chat', properties({ ...object, allOf: [{ properties: { b: {} } }] }))).toEqual([])
  })

  test('A property "constructor" counts as declared only when it is.', () => {
    const object = { type: 'object', properties: {}, required: ['constructor'] }
    expect(lint('chat', properties(object))).toEqual([
      ['undeclared_required', `${inX}.required.0`, undefined],
    ])
  })

  test.each([
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
  ])('A schema with %s is refused: %j.', (keyword, value) => {
    expect(lint('chat', properties({ [keyword]: value }))).toEqual([
      ['schema_keyword_invalid', `${inX}.${keyword}`, undefined],
    ])
  })

  test('A property that is not a schema is refused.', () => {
    expect(lint('chat', properties('string'))).toEqual([['schema_keyword_invalid', inX, undefined]])
    expect(lint('chat', properties(true))).toEqual([])
  })

  test('An empty enum is refused.', () => {
    expect(lint('chat', properties({ enum: [] }))).toEqual([['empty_enum', `${inX}.enum`, undefined]])
    expect(lint('chat', properties({ enum: [null] }))).toEqual([])
  })

  test.each([
    ['str', ['string']],
    [7, undefined],
    ['STRING', ['string']],
    [['String', 'NULL'], [['string', 'null']]],
    [['string', 'nope'], undefined],
  ])('The type %j is refused.', (type, fix) => {
    expect(lint('chat', properties({ type }))).toEqual([['schema_type_unknown', `${inX}.type`, fix]])
  })

  test.each([['#/$defs/none'], ['#nowhere'], ['https://example.com/a.json'], ['other.json#/a']])(
    'The reference %s is refused.',
    ref => {
      expect(lint('chat', properties({ $ref: ref }))).toEqual([
        ['schema_ref_unresolved', `${inX}.$ref`, undefined],
      ])
    },
  )

  test('A reference that resolves is accepted.', () => {
    const schema = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a' }, y: { $ref: '#' } },
      $defs: { a: {} },
    }
    expect(lint('chat', fn(schema))).toEqual([])
  })

  test('A pattern that is not a regular expression is refused.', () => {
    expect(lint('chat', properties({ pattern: '(' }))).toEqual([
      ['pattern_invalid', `${inX}.pattern`, undefined],
    ])
    expect(lint('chat', properties({ pattern: '^(?=a)b$' }))).toEqual([])
  })

  test('A schema that is too deep is reported, and not checked further.', () => {
    let deep: unknown = { type: 'nope' }
    for (let i = 0; i < 10_000; i++) deep = { type: 'object', properties: { x: deep } }
    expect(lint('chat', fn(deep))).toEqual([['schema_too_deep', inSchema, undefined]])
  })

  test('Findings that a conversion repairs are less severe for another wire.', () => {
    const tool = properties({ type: 'nope' })
    const severity = (target: Wire): unknown =>
      lintTools([tool], { wire: 'chat', target }).findings[0]?.severity
    expect([severity('chat'), severity('messages')]).toEqual(['error', 'warning'])
  })
})

describe('free-text tools', () => {
  const custom = (format: unknown): unknown => ({ type: 'custom', name: 'c', description: 'd', format })
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }

  test('Free-text tools take text and grammars.', () => {
    expect(lint('responses', custom(undefined))).toEqual([])
    expect(lint('responses', custom({ type: 'text' }))).toEqual([])
    expect(lint('responses', custom(grammar))).toEqual([])
  })

  test.each([
    [7, 'invalid_field', 'format'],
    [{ type: 'yaml' }, 'invalid_field', 'format.type'],
    [{ ...grammar, syntax: 'bnf' }, 'invalid_field', 'format.syntax'],
    [{ type: 'grammar', definition: 'x' }, 'missing_field', 'format.syntax'],
    [{ type: 'grammar', syntax: 'regex' }, 'missing_field', 'format.definition'],
    [{ ...grammar, definition: '' }, 'missing_field', 'format.definition'],
  ])('The format %j of a free-text tool is refused.', (format, code, path) => {
    expect(lint('responses', custom(format))).toEqual([[code, path, undefined]])
  })

  test('A grammar is read where the wire has it.', () => {
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

  test('A namespace needs a description and at least one tool.', () => {
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools: [inner] })).toEqual([])
    expect(lint('responses', { type: 'namespace', name: 'n', tools: [inner] })).toEqual([
      ['missing_field', 'description', undefined],
    ])
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools: [] })).toEqual([
      ['empty_namespace', 'tools', undefined],
    ])
  })

  test('The tools of a namespace are linted.', () => {
    const tools = [flat({ name: 'x', parameters: { type: 'object' } })]
    expect(lint('responses', { type: 'namespace', name: 'n', description: 'd', tools })).toEqual([
      ['missing_properties', 'tools.0.parameters.properties', [{}]],
    ])
  })
})

describe('hosted tools', () => {
  test.each([
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
  ] as const)('On %s the hosted tools %j need their fields.', (wire, tool, fields) => {
    expect(lint(wire, tool)).toEqual([])
    for (const field of fields) {
      expect(lint(wire, { ...tool, [field]: undefined })).toEqual([['missing_field', field, undefined]])
    }
  })

  test('An MCP server is reached in one way only.', () => {
    const tool = { type: 'mcp', server_label: 'a', server_url: 'https://a', tunnel_id: 't' }
    expect(lint('responses', tool)).toEqual([['invalid_field', 'tunnel_id', undefined]])
  })
})

describe('a request body', () => {
  const tools = [fn({ type: 'object', properties: {} })]
  const findings = (body: unknown, wire: Wire = 'chat'): [string, string][] =>
    lintToolParams(body, { wire }).findings.map(({ code, path }) => [code, path.join('.')])

  test('A request body must be an object.', () => {
    expect(findings(7)).toEqual([['invalid_request', '']])
    expect(findings({})).toEqual([])
  })

  test.each([
    ['auto', []],
    [{ type: 'function', function: { name: 'f' } }, []],
    [{ type: 'function', function: { name: 'g' } }, [['tool_choice_undeclared', 'tool_choice']]],
    [{ type: 'custom', custom: { name: 'f' } }, [['tool_choice_undeclared', 'tool_choice']]],
    ['sometimes', [['invalid_tool_choice', 'tool_choice']]],
  ])('The choice %j is checked.', (tool_choice, expected) => {
    expect(findings({ tools, tool_choice })).toEqual(expected)
  })

  test('Only declared tools may be allowed.', () => {
    const allowed = (name: string): object => ({ type: 'function', function: { name } })
    const tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [allowed('f'), allowed('g')] },
    }
    expect(findings({ tools, tool_choice })).toEqual([
      ['tool_choice_undeclared', 'tool_choice.allowed_tools.tools.1'],
    ])
  })

  test('Hosted tools are chosen by type and label.', () => {
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

  test('A hosted tool of Messages is chosen by its name.', () => {
    const declared = [{ type: 'bash_20250124', name: 'bash' }]
    expect(findings({ tools: declared, tool_choice: { type: 'tool', name: 'bash' } }, 'messages')).toEqual([])
  })

  test('A choice without tools is refused.', () => {
    expect(findings({ tool_choice: 'required' })).toEqual([['tool_choice_without_tools', 'tool_choice']])
  })

  test('The deprecated functions are warned of.', () => {
    const functions = [{ name: 'f', description: 'd' }]
    expect(findings({ functions })).toEqual([['legacy_functions', 'functions']])
    expect(findings({ functions, function_call: { name: 'g' } })).toEqual([
      ['legacy_functions', 'functions'],
      ['tool_choice_undeclared', 'function_call'],
    ])
  })

  test('Tools in the input of a body are linted too.', () => {
    const item = {
      type: 'additional_tools',
      tools: [flat({ name: 'a b', parameters: { type: 'object', properties: {} } })],
    }
    expect(findings({ input: [item] }, 'responses')).toEqual([['name_characters', 'input.0.tools.0.name']])
  })
})
