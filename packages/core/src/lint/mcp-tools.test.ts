import { describe, expect, test } from 'vitest'
import type { LintFinding } from './finding.ts'
import { lintTools } from './lint-tools.ts'

describe('tools of an MCP server', () => {
  const parameters = [
    ['types of another language', { type: 'object', properties: { a: { type: 'dict' } } }],
    ['a root of another type', { type: 'dict', properties: {} }],
    ['a combinator at the root', { type: 'object', anyOf: [{ required: ['a'] }], properties: { a: {} } }],
    ['a list without items', { type: 'object', properties: { a: { type: 'array' } } }],
    ['nothing wrong', { type: 'object', properties: { a: { type: 'string' } } }],
  ] as const
  const names = ['look', 'a b', 'a_name_of_seventy_characters_'.padEnd(70, 'x')]
  const cases = parameters.flatMap(([what, schema]) => names.map(name => [what, name, schema] as const))

  test.each(cases)(
    'A target says of %s under the name "%s" what it says of its own tools.',
    (_, name, schema) => {
      for (const target of ['chat', 'responses', 'messages'] as const) {
        const own = {
          chat: { type: 'function', function: { name, description: 'Looks.', parameters: schema } },
          responses: { type: 'function', name, description: 'Looks.', parameters: schema, strict: false },
          messages: { name, description: 'Looks.', input_schema: schema },
        }[target]
        const listed = { name, description: 'Looks.', inputSchema: schema }
        const said = (findings: readonly LintFinding[]) =>
          findings.map(({ code, severity, message }) => ({ code, severity, message }))
        const { findings } = lintTools([listed], { wire: 'mcp', target })
        expect(said(findings), target).toEqual(said(lintTools([own], { wire: target }).findings))
      }
    },
  )
})
