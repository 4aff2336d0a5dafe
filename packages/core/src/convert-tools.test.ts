/** `encodeTools` takes every form of a tool that `defineTool` takes. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { encodeTools } from './convert-tools.ts'
import { defineTool } from './runtime/tools/define-tool.ts'
import * as tools from './tools.ts'

const properties = { city: { type: 'string' } }
const schema = { type: 'object', properties, required: ['city'], additionalProperties: false } as const
const zod = z.object({ city: z.string() }).strict()
const head = { name: 'weather', description: 'Tells the weather.' }

describe('encodeTools', () => {
  test.each([
    ['a Zod schema as "parameters"', { ...head, parameters: zod }],
    ['a Zod schema as "schema"', { ...head, schema: zod }],
    ['a Zod schema as "inputSchema"', { ...head, inputSchema: zod }],
    ['an MCP tool', { ...head, inputSchema: schema }],
    ["Chat's nested form", { type: 'function', function: { ...head, parameters: schema } }],
    ['JSON Schema', { ...head, parameters: schema }],
    ['a defined tool', defineTool({ ...head, parameters: zod })],
  ])('It takes %s.', (_, tool) => {
    for (const to of ['chat', 'responses', 'messages'] as const) {
      const definition = { chat: tools.chat, responses: tools.responses, messages: tools.messages }[to]
      const expected = encodeTools([defineTool({ ...head, parameters: schema })], { to }).value
      const text = JSON.stringify(encodeTools([tool as typeof head], { to }).value)
      expect(JSON.parse(text.replace(/"\$schema":"[^"]*",/, ''))).toEqual(expected)
      expect(JSON.stringify(tools.encodeTools([tool as typeof head], { to: definition }).value)).toContain(
        '"city":{"type":"string"}',
      )
    }
  })

  test.each([
    [{ name: 'weather' }, /Put the tool into a list/],
    [undefined, /must be given as a list; got nothing/],
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested.
    [[head, , head], /must be an object; got nothing/],
    [[{ parameters: schema }], /name/],
  ])('For %j it throws a clear error.', (given, message) => {
    expect(() => encodeTools(given as [], { to: 'chat' })).toThrow(message)
  })
})
