import type { LintFix } from '@toolwire/core/lint'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument } from '../../terminal/json-document.ts'
import { toolwire } from '../memory-io.test-helper.ts'
import { applyFixes } from './apply-fixes.ts'

const edit = (path: (string | number)[], ...value: unknown[]): LintFix => ({
  title: 't',
  edits: [value.length === 0 ? { path } : { path, value: value[0] }],
})

const apply = (text: string, ...fixes: LintFix[]): string => applyFixes(parseDocument(text), fixes).text

describe('applyFixes', () => {
  test.each([
    ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
    ['{ "a": 1 }', ['a'], '{  }'],
    ['[1, 2, 3]', [1], '[1, 3]'],
    ['{\n  "a": 1,\n  "b": 2\n}', ['b'], '{\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', ['a'], '{\n  "b": 2\n}'],
  ])('A fix removes from %j the member %j.', (text, path, expected) => {
    expect(apply(text, edit(path))).toBe(expected)
  })

  test.each([
    ['{}', '{"k":[1]}'],
    ['{"a":{}}', '{"a":{},"k":[1]}'],
    ['{ "a": 1 }\n', '{ "a": 1,"k":[1] }\n'],
    ['{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}'],
    ['{\n}', '{\n  "k": [\n    1\n  ]\n}'],
  ])('A fix adds a member to %j.', (text, expected) => {
    expect(apply(text, edit(['k'], [1]))).toBe(expected)
  })

  test('Of two fixes that overlap one is applied, and both of two that do not.', () => {
    const text = '{"a":{"b":1},"c":2}'
    const both = applyFixes(parseDocument(text), [edit(['a', 'b'], 7), edit(['c'], 8)])
    expect(both).toEqual({ text: '{"a":{"b":7},"c":8}', applied: [0, 1] })
    const touching = [edit(['a', 'b'], 7), edit(['a'], 8), edit(['x'], 1), edit(['y'], 1), edit(['c'])]
    expect(applyFixes(parseDocument(text), touching)).toEqual({
      text: '{"a":{"b":7},"c":2,"x":1}',
      applied: [0, 2],
    })
  })

  test('A fix is applied completely or not at all.', () => {
    const half: LintFix = {
      title: 't',
      edits: [
        { path: ['a'], value: 1 },
        { path: ['no', 'where'], value: 1 },
      ],
    }
    expect(applyFixes(parseDocument('{"a":0}'), [half])).toEqual({ text: '{"a":0}', applied: [] })
  })
})

describe('lint --fix', () => {
  const schema = fc.oneof(
    fc.constant({}),
    fc.constant({ type: 'object' }),
    fc.constant({ properties: { a: { type: 'STRING' } }, strict: true }),
    fc.constant({ type: ['object', 'null'], properties: { a: { type: 'Integer' }, b: {} }, required: ['a'] }),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const fields = fc.record(
    {
      name: fc.oneof(fc.string(), fc.constant('a b'), fc.constant('f')),
      description: fc.string(),
      parameters: schema,
      input_schema: schema,
      strict: fc.boolean(),
      format: fc.constant({ type: 'grammar', syntax: 'lark', definition: 'x' }),
    },
    { requiredKeys: ['name'] },
  )
  const tool = fc.oneof(
    fields,
    fields.map(inner => ({ type: 'function', function: inner, strict: true })),
    fields.map(inner => ({ ...inner, type: 'function' })),
    fields.map(inner => ({ type: 'custom', custom: inner })),
    fc.array(fields, { maxLength: 2 }).map(tools => ({ type: 'namespace', name: 'n', tools })),
  )
  const indent = fc.constantFrom(undefined, 1, 2, '\t')
  const wire = fc.constantFrom('chat', 'responses', 'messages')

  test('"lint --fix" writes JSON that has nothing more to repair.', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tool, { maxLength: 4 }), indent, wire, async (tools, space, from) => {
        const argv = ['lint', '--from', from, '--fix', '--format', 'json', 'a.json']
        const files = { 'a.json': JSON.stringify(tools, null, space) }
        const first = await toolwire(argv, { files })
        expect(JSON.parse(first.files['a.json'] ?? '')).toHaveLength(tools.length)
        const second = await toolwire(argv, { files: first.files })
        expect(second.written).toEqual([])
        expect(JSON.parse(second.stdout).summary.fixed).toBe(0)
        expect(second.stdout).not.toContain('"fix"')
      }),
    )
  })
})
