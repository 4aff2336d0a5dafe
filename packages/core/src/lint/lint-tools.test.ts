import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { wireNames as wires } from '../wires/registry.ts'
import type { LintOptions } from './context.ts'
import { lintToolParams, lintTools } from './lint-tools.ts'

const object = { type: 'object', properties: {} }

/** A sound tool of the wire with some fields changed. */
const makeTool: { readonly [W in Wire]: (fields?: object) => unknown } = {
  chat: (fields = {}) => ({
    type: 'function',
    function: { name: 'f', description: 'd', parameters: object, ...fields },
  }),
  responses: (fields = {}) => ({
    type: 'function',
    name: 'f',
    description: 'd',
    parameters: object,
    strict: false,
    ...fields,
  }),
  messages: ({ parameters = object, ...fields }: { parameters?: unknown } = {}) => ({
    name: 'f',
    description: 'd',
    input_schema: parameters,
    ...fields,
  }),
}

const codesOf = (tools: unknown, options: LintOptions): DiagnosticCode[] =>
  lintTools(tools, options).findings.map(({ code }) => code)

const lintOne = (wire: Wire, tool: unknown, options: Partial<LintOptions> = {}) =>
  lintTools([tool], { wire, ...options }).findings

const only = <T>(items: readonly T[]): T => {
  expect(items).toHaveLength(1)
  return items[0] as T
}

describe('a sound tool', () => {
  test.each(wires)('A sound tool has no findings on %s.', wire => {
    expect(lintOne(wire, makeTool[wire]())).toEqual([])
  })

  test.each(wires)('A sound tool with every legal optional field has no findings on %s.', wire => {
    const parameters = {
      type: 'object',
      properties: {
        city: { type: 'string', pattern: '^a+$', enum: ['a'] },
        list: { type: 'array', items: {} },
      },
      required: ['city'],
      $defs: { a: { type: 'string' } },
    }
    expect(lintOne(wire, makeTool[wire]({ parameters }))).toEqual([])
  })
})

describe('names', () => {
  test.each([
    ['chat', 64],
    ['responses', 64],
    ['messages', 128],
  ] as const)('On %s a name may have %i characters and no more.', (wire, max) => {
    expect(lintOne(wire, makeTool[wire]({ name: 'n'.repeat(max) }))).toEqual([])
    const finding = only(lintOne(wire, makeTool[wire]({ name: 'n'.repeat(max + 1) })))
    expect(finding).toMatchObject({ code: 'name_too_long', severity: 'error' })
    expect(finding.path.at(-1)).toBe('name')
  })

  test('A legal name is suggested for illegal characters, and nothing is renamed.', () => {
    const finding = only(lintOne('chat', makeTool.chat({ name: 'get weather.now' })))
    expect(finding).toMatchObject({ code: 'name_characters', path: [0, 'function', 'name'] })
    expect(finding.remedy).toContain('"get_weather_now"')
    expect(finding.fix).toBeUndefined()
  })

  test('No suggested name belongs to another tool, or is suggested twice.', () => {
    const suggested = (...names: string[]): (string | undefined)[] =>
      lintTools(
        names.map(name => makeTool.chat({ name })),
        { wire: 'chat' },
      ).findings.map(({ remedy }) => /"(.*)"/.exec(remedy)?.[1])
    expect(suggested('a.b', 'a_b', 'a_b_2', 'c.d', 'c d')).toEqual(['a_b_3', 'c_d', 'c_d_2'])
    const long = 'n'.repeat(62)
    expect(suggested(`${long} n`, `${long}.n`)).toEqual([`${long}_n`, `${long}_2`])
    expect(suggested('天气')).toEqual([undefined])
  })

  test('Names must differ within a list and within a namespace, but not across them.', () => {
    const tool = makeTool.responses()
    const namespace = { type: 'namespace', name: 'ns', description: 'd', tools: [tool] }
    expect(codesOf([tool, namespace], { wire: 'responses' })).toEqual([])
    expect(codesOf([tool, tool], { wire: 'responses' })).toEqual(['duplicate_tool_name'])
    expect(codesOf([{ ...namespace, tools: [tool, tool] }], { wire: 'responses' })).toEqual([
      'duplicate_tool_name',
    ])
    expect(only(lintTools([tool, tool], { wire: 'responses' }).findings)).toMatchObject({
      severity: 'error',
      path: [1, 'name'],
    })
  })

  test('The names of hosted tools count too.', () => {
    const tools = [{ type: 'bash_20250124', name: 'bash' }, makeTool.messages({ name: 'bash' })]
    expect(codesOf(tools, { wire: 'messages' })).toEqual(['duplicate_tool_name'])
  })

  test('Names inside a namespace may be longer, and that of the namespace must be shorter.', () => {
    const inner = makeTool.responses({ name: 'n'.repeat(128) })
    const namespace = { type: 'namespace', name: 'n'.repeat(64), description: 'd', tools: [inner] }
    expect(codesOf([namespace], { wire: 'responses' })).toEqual([])
    const tooLong = {
      ...namespace,
      name: 'n'.repeat(65),
      tools: [makeTool.responses({ name: 'n'.repeat(129) })],
    }
    expect(codesOf([tooLong], { wire: 'responses' })).toEqual(['name_too_long', 'name_too_long'])
  })
})

describe('the list', () => {
  test.each([
    ['chat', 128],
    ['responses', 128],
    ['messages', undefined],
  ] as const)('On %s a list has at most %s tools.', (wire, max) => {
    const list = (length: number): unknown[] =>
      Array.from({ length }, (_, i) => makeTool[wire]({ name: `f${i}` }))
    expect(codesOf(list(128), { wire })).toEqual([])
    expect(codesOf(list(200), { wire })).toEqual(max === undefined ? [] : ['too_many_tools'])
  })

  test('Too many tools are reported at the list inside a body.', () => {
    const tools = Array.from({ length: 129 }, (_, i) => makeTool.chat({ name: `f${i}` }))
    expect(only(lintToolParams({ tools }, { wire: 'chat' }).findings)).toMatchObject({
      code: 'too_many_tools',
      path: ['tools'],
    })
  })

  test.each([null, 'tools', 7, {}])('The value %j is not a list of tools.', value => {
    expect(codesOf(value, { wire: 'chat' })).toEqual(['not_a_list'])
  })
})

describe('reading', () => {
  test.each([
    ['invalid_tool', 'chat', null],
    ['missing_name', 'chat', { type: 'function', function: { description: 'd' } }],
    ['missing_name', 'messages', { input_schema: object }],
    ['unknown_type', 'responses', { type: 'teleport' }],
    ['unknown_type', 'chat', { type: 'web_search' }],
  ] as const)('The finding %s is reported on %s.', (code, wire, tool) => {
    const finding = only(lintOne(wire, tool))
    expect(finding.code).toBe(code)
    expect(finding.remedy).not.toBe('')
  })

  test.each([
    ['chat', makeTool.responses(), makeTool.chat({ strict: false })],
    ['chat', makeTool.messages(), makeTool.chat()],
    ['responses', makeTool.chat(), makeTool.responses()],
    ['messages', { name: 'f', description: 'd', parameters: object }, makeTool.messages()],
  ] as const)("A tool in another wire's shape is reshaped for %s.", (wire, tool, expected) => {
    const [first, ...rest] = lintOne(wire, tool)
    expect(first).toMatchObject({ code: 'mixed_shape', severity: 'error' })
    expect(first?.fix?.edits).toEqual([{ path: [0], value: expected }])
    for (const { code, fix } of rest) expect([code, fix]).toEqual(['mixed_shape', first?.fix])
  })

  test('No reshaping is offered into a shape that the wire does not have.', () => {
    const freeText = { type: 'custom', name: 'f', description: 'd', format: { type: 'text' } }
    const [finding] = lintOne('messages', freeText)
    expect(finding?.code).toBe('mixed_shape')
    expect(finding?.fix).toBeUndefined()
  })

  const outside = { type: 'function', strict: true, function: { name: 'f', description: 'd' } }
  const both = { ...outside, function: { ...outside.function, strict: false } }
  const inside = makeTool.chat({ parameters: { ...object, strict: true } })

  test.each([
    ['beside the function', outside, [0, 'strict']],
    ['where the right place is taken', both, [0, 'strict']],
    ['in the schema', inside, [0, 'function', 'parameters', 'strict']],
  ])('A "strict" %s is removed and not applied.', (_, tool, path) => {
    expect(only(lintOne('chat', tool))).toMatchObject({
      code: 'misplaced_strict',
      fix: { title: 'Remove the "strict" that has no effect', edits: [{ path }] },
    })
  })

  test.each(['responses', 'messages'] as const)(
    'Reshaping for %s gives no effect to a dead "strict".',
    wire => {
      const tool = { ...outside, function: { ...outside.function, parameters: { ...object, strict: true } } }
      const fixes = lintOne(wire, tool).flatMap(({ code, fix }) =>
        code === 'mixed_shape' && fix ? [fix] : [],
      )
      expect(fixes.length).toBeGreaterThan(0)
      for (const { edits } of fixes) expect(edits).toEqual([{ path: [0], value: makeTool[wire]() }])
    },
  )

  test('A wrapped tool in the deprecated functions is not reshaped as a tool.', () => {
    const { findings } = lintToolParams({ functions: [makeTool.chat()] }, { wire: 'chat' })
    for (const { fix } of findings) expect(fix).toBeUndefined()
  })
})

describe('descriptions', () => {
  test.each(wires)('A missing description is advised against on %s.', wire => {
    for (const description of [undefined, '', '  ']) {
      expect(only(lintOne(wire, makeTool[wire]({ description })))).toMatchObject({
        code: 'description_advised',
        severity: 'info',
      })
    }
  })

  test('A long description is warned of on Chat only.', () => {
    const fields = { description: 'd'.repeat(1025) }
    expect(codesOf([makeTool.chat(fields)], { wire: 'chat' })).toEqual(['description_too_long'])
    expect(codesOf([makeTool.chat({ description: 'd'.repeat(1024) })], { wire: 'chat' })).toEqual([])
    expect(codesOf([makeTool.responses(fields)], { wire: 'responses' })).toEqual([])
  })

  test('A description must be a string, or null on Responses.', () => {
    expect(codesOf([makeTool.chat({ description: 7 })], { wire: 'chat' })).toEqual(['invalid_field'])
    expect(codesOf([makeTool.chat({ description: null })], { wire: 'chat' })).toEqual(['invalid_field'])
    const codes = codesOf([makeTool.responses({ description: null })], { wire: 'responses' })
    expect(codes).toEqual(['description_advised'])
  })
})

describe('strict', () => {
  test('The field "strict" must be a boolean.', () => {
    expect(codesOf([makeTool.chat({ strict: 'true' })], { wire: 'chat' })).toEqual(['invalid_field'])
    expect(codesOf([makeTool.chat({ strict: null })], { wire: 'chat' })).toEqual([])
  })

  test('The field "strict" should be stated on Responses, and nowhere else.', () => {
    const { strict: _, ...unstated } = makeTool.responses() as Record<string, unknown>
    expect(only(lintOne('responses', unstated))).toMatchObject({
      code: 'strict_unstated',
      severity: 'info',
    })
    expect(lintOne('chat', makeTool.chat())).toEqual([])
    expect(lintOne('messages', makeTool.messages())).toEqual([])
  })

  test('No fix decides about "strict", because both values change what the server does.', () => {
    const { strict: _, ...unstated } = makeTool.responses() as Record<string, unknown>
    expect(only(lintOne('responses', unstated)).fix).toBeUndefined()
    const remedy = lintOne('responses', unstated, { strict: true })[0]?.remedy
    expect(remedy).toBe('Say true.')
  })

  const loose = { type: 'object', properties: { city: { type: 'string' } } }

  test.each(['chat', 'responses'] as const)('Every violation of strict mode is reported on %s.', wire => {
    const findings = lintOne(wire, makeTool[wire]({ parameters: loose, strict: true }))
    expect(findings.map(({ code }) => code)).toEqual(['strict_violation', 'strict_violation'])
    const at = wire === 'chat' ? [0, 'function', 'parameters'] : [0, 'parameters']
    expect(findings.map(({ path }) => path)).toEqual([at, [...at, 'properties', 'city']])
    const [first, second] = findings
    expect(first?.fix?.edits).toEqual([
      {
        path: at,
        value: {
          type: 'object',
          properties: { city: { type: ['string', 'null'] } },
          required: ['city'],
          additionalProperties: false,
        },
      },
    ])
    expect(second?.fix).toEqual(first?.fix)
  })

  test('No position is reported twice.', () => {
    const parameters = {
      type: 'object',
      properties: { list: { type: 'array' } },
      required: ['list'],
      additionalProperties: false,
    }
    const finding = only(lintOne('chat', makeTool.chat({ parameters, strict: true })))
    expect(finding.code).toBe('array_without_items')
  })

  test('The strict subset of Messages allows optional properties.', () => {
    const closed = { ...loose, additionalProperties: false }
    expect(lintOne('messages', makeTool.messages({ parameters: closed, strict: true }))).toEqual([])
    const codes = codesOf([makeTool.messages({ parameters: loose, strict: true })], { wire: 'messages' })
    expect(codes).toEqual(['strict_violation'])
  })

  test('With the option "strict" every function is checked, and none is rewritten that did not ask.', () => {
    const tool = makeTool.responses({ parameters: loose })
    expect(lintOne('responses', tool)).toEqual([])
    const findings = lintOne('responses', tool, { strict: true })
    expect(findings.map(({ code }) => code)).toEqual(['strict_violation', 'strict_violation'])
    for (const { fix, remedy } of findings) {
      expect(fix).toBeUndefined()
      expect(remedy).toContain('toolwire convert tools --strict-mode strictify')
      expect(remedy).not.toContain('to false')
    }
  })

  test('No rewrite is offered that would change the meaning.', () => {
    const open = { type: 'object', properties: {}, additionalProperties: { type: 'string' } }
    const findings = lintOne('chat', makeTool.chat({ parameters: open, strict: true }))
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.every(({ fix }) => fix === undefined)).toBe(true)
  })
})

describe('another target', () => {
  test('For another target, the losses of the conversion are reported.', () => {
    const tools = [{ type: 'file_search', vector_store_ids: ['v'] }]
    expect(codesOf(tools, { wire: 'responses' })).toEqual([])
    expect(only(lintTools(tools, { wire: 'responses', target: 'chat' }).findings)).toMatchObject({
      code: 'hosted_tool_dropped',
      severity: 'warning',
      path: [0],
    })
  })

  test('For another target, what the conversion repairs is not reported.', () => {
    const tools = [
      makeTool.responses({ name: 'n'.repeat(80) }),
      makeTool.responses({ name: 'a.b', parameters: {} }),
    ]
    expect(codesOf(tools, { wire: 'chat', target: 'messages' })).toEqual(['mixed_shape', 'mixed_shape'])
    const severities = lintTools(tools, { wire: 'chat', target: 'messages' }).findings.map(f => f.severity)
    expect(severities).toEqual(['info', 'info'])
  })

  test('For another target, nothing is demanded of a root that the conversion rewrites.', () => {
    for (const parameters of [{ properties: {} }, { type: 'object' }, { anyOf: [{}] }, { type: 'dict' }]) {
      const tools = [makeTool.chat({ parameters })]
      for (const target of ['responses', 'messages'] as const)
        expect(codesOf(tools, { wire: 'chat', target })).toEqual([])
    }
  })

  test('For another target, the schema is checked against the rules of the target.', () => {
    const parameters = { type: 'object', properties: { 'filter[id]': { type: 'array' } } }
    const tool = makeTool.chat({ parameters })
    expect(codesOf([tool], { wire: 'chat' })).toEqual(['array_without_items'])
    expect(codesOf([tool], { wire: 'chat', target: 'messages' })).toEqual(['property_name_refused'])
  })

  test('For another target, nothing is reported twice.', () => {
    const tools = [makeTool.chat({ parameters: 'string' }), null]
    const codes = codesOf(tools, { wire: 'chat', target: 'messages' })
    expect(codes).toEqual(['invalid_tool', 'tool_dropped', 'parameters_not_object'])
  })
})

describe('every finding', () => {
  test('The paths of a finding and of its fix begin with the base.', () => {
    const tool = { type: 'function', strict: true, function: { name: 'f', description: 'd' } }
    expect(only(lintOne('chat', tool, { base: ['a', 'tools'] }))).toMatchObject({
      path: ['a', 'tools', 0, 'strict'],
      fix: { edits: [{ path: ['a', 'tools', 0, 'strict'] }] },
    })
  })

  test('Lint never throws.', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...wires),
        fc.constantFrom(...wires),
        (value, wire, target) => {
          for (const strict of [false, true]) {
            lintTools(value, { wire, target, strict })
            lintTools([value], { wire, target, strict })
            lintToolParams(
              { tools: value, tool_choice: value, functions: value, input: value },
              { wire, target },
            )
            lintTools([makeTool[wire]({ parameters: value, format: value, strict: value })], {
              wire,
              target,
              strict,
            })
          }
        },
      ),
    )
  })
})
