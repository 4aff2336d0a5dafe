/** Tools as MCP servers list them: alone, in the result, in the message, and mixed into the lists of wires. */
import { describe, expect, test } from 'vitest'
import { convertToolParams, convertTools } from '../convert-tools.ts'
import type { JsonObject } from '../json/object.ts'
import { lintTools } from '../lint/lint-tools.ts'
import * as byDefinition from '../tools.ts'
import { wireNames } from '../wires/registry.ts'
import { open, requestFor, toolFor } from './calls.test-helper.ts'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const outputSchema = { type: 'object', properties: { degrees: { type: 'number' } } }
const weather = { name: 'weather', description: 'd', inputSchema }
const full = {
  ...weather,
  title: 'Weather',
  outputSchema,
  annotations: { readOnlyHint: true },
  icons: [{ src: 'https://example.com/i.png' }],
  execution: { taskSupport: 'optional' },
  _meta: { a: 1 },
}

describe.each(wireNames)('to %s', to => {
  const own = { ...toolFor(to, 'weather', inputSchema), ...(to === 'chat' ? {} : {}) }

  test.each<[string, unknown, (string | number)[]]>([
    ['a list', [weather], []],
    ['a result', { tools: [weather] }, ['tools']],
    ['a message', { jsonrpc: '2.0', id: 1, result: { tools: [weather] } }, ['result', 'tools']],
  ])('%s is read as what it is.', (_, value) => {
    expect(convertTools(value, { from: 'mcp', to })).toMatchObject({ value: [own], diagnostics: [] })
  })

  test('Every field of a tool is carried or reported, with its path.', () => {
    const result = convertTools({ result: { tools: [full] } }, { from: 'mcp', to })
    const reported = result.diagnostics.map(({ code, path }) => [code, path.join('.')])
    const dropped = ['title', 'annotations', 'icons', '_meta', 'execution']
    const expected = dropped.map(key => ['hint_dropped', `result.tools.0.${key}`])
    const carried = to === 'responses' ? [{ ...own, output_schema: outputSchema }] : [own]
    expect(result.value).toEqual(carried)
    if (to !== 'responses') expected.push(['field_dropped', 'result.tools.0.outputSchema'])
    expect(reported).toEqual(expected)
  })

  test('Mixed into the tools of a request, it is read and reshaped.', () => {
    for (const from of wireNames) {
      const { value, diagnostics } = open({ from, to }).request(requestFor(from, { tools: [full] }))
      const [tool] = value.tools as JsonObject[]
      expect(JSON.stringify(tool)).toContain(JSON.stringify(inputSchema))
      expect(JSON.stringify(tool)).not.toContain('inputSchema')
      const codes = diagnostics.map(({ code }) => code)
      expect(codes).toContain('mixed_shape')
      expect(codes.filter(code => code === 'hint_dropped')).toHaveLength(5)
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('Lint reads it and finds nothing to refuse in a sound tool.', () => {
    const { findings } = lintTools({ tools: [weather] }, { wire: 'mcp', target: to })
    expect(findings).toEqual([])
  })

  test('Lint finds what is wrong in a schema, at its place.', () => {
    const broken = { ...weather, inputSchema: { type: 'object', properties: { a: { enum: [] } } } }
    const { findings } = lintTools({ result: { tools: [broken] } }, { wire: 'mcp', target: to })
    expect(findings.map(({ code, path }) => [code, path.join('.')])).toEqual([
      ['empty_enum', 'result.tools.0.inputSchema.properties.a.enum'],
    ])
  })

  test('Lint reshapes one that is mixed into a list, and says what it leaves out.', () => {
    const [finding] = lintTools([full], { wire: to }).findings
    expect(finding).toMatchObject({ code: 'mixed_shape', severity: 'error' })
    expect(finding?.fix?.title).toMatch(/^Reshape the tool, without "title", "annotations"/)
    expect(JSON.stringify(finding?.fix?.edits)).not.toContain('inputSchema')
  })
})

test('A list that goes on behind a cursor is said to be incomplete.', () => {
  const { diagnostics } = convertTools({ tools: [weather], nextCursor: 'x' }, { from: 'mcp', to: 'chat' })
  expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['nextCursor'], severity: 'warning' }])
})

test('What is no list of tools is said to be none.', () => {
  for (const value of [7, {}, { result: {} }, { error: { code: 1 } }]) {
    expect(convertTools(value, { from: 'mcp', to: 'chat' })).toMatchObject({
      value: [],
      diagnostics: [{ code: 'not_a_list' }],
    })
  }
})

test('The tool part of a body can be written from a result.', () => {
  const { value } = convertToolParams({ tools: [weather] }, { from: 'mcp', to: 'chat' })
  expect(value).toEqual({ tools: [toolFor('chat', 'weather', inputSchema)] })
})

test('The entry point for definitions has the format too, and nothing can be written in it.', () => {
  const { mcp, messages } = byDefinition
  expect(byDefinition.convertTools([weather], { from: mcp, to: messages }).value).toHaveLength(1)
  expect(() => byDefinition.convertTools([], { from: messages, to: mcp as never })).toThrow(TypeError)
  expect(() => convertTools([], { from: 'chat', to: 'mcp' as never })).toThrow('"to" must be one of')
  expect(() => lintTools([], { wire: 'mcp' })).toThrow(TypeError)
})
