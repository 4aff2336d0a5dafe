/** `encodeTools` takes every form of a tool that `defineTool` takes. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { convertToolParams, convertTools, encodeTools } from './convert-tools.ts'
import { createExchange } from './create-exchange.ts'
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

test.each(['zod', 'valibot', 'arktype'])(
  'A schema of %s among definitions is refused with the remedy.',
  async name => {
    const { z } = await import('zod')
    const { object, string } = await import('valibot')
    const { type } = await import('arktype')
    const schemas: { readonly [name: string]: unknown } = {
      zod: z.object({ city: z.string() }),
      valibot: object({ city: string() }),
      arktype: type({ city: 'string' }),
    }
    const tool = { type: 'function', function: { name: 'weather', parameters: schemas[name] } }
    const refused = [
      convertTools([tool], { from: 'chat', to: 'messages' }),
      convertToolParams({ tools: [tool] }, { from: 'chat', to: 'messages' }),
      createExchange({ from: 'chat', to: 'messages' }).request({
        messages: [{ role: 'user', content: 'Hi.' }],
        tools: [tool],
      }),
    ]
    for (const { diagnostics } of refused) {
      const error = diagnostics.find(({ severity }) => severity === 'error')
      expect(error?.message).toMatch(/function\.parameters is a schema of a library.* defineTool/)
    }
  },
)

test.each([
  ['convertTools', () => convertTools([], { from: 'chat', too: 'responses' } as never), 'to'],
  ['convertTools', () => convertTools([], { form: 'chat', to: 'responses' } as never), 'from'],
  ['convertToolParams', () => convertToolParams({}, { too: 'chat' } as never), 'to'],
  ['encodeTools', () => encodeTools([], { too: 'chat' } as never), 'to'],
  ['convertTools of /tools', () => tools.convertTools([], { too: tools.chat } as never), 'to'],
  ['encodeTools of /tools', () => tools.encodeTools([], { too: tools.chat } as never), 'to'],
])('A misspelt wire of %s is refused with a suggestion.', (_, convert, meant) => {
  expect(convert).toThrow(`Did you mean "${meant}"?`)
})
