import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { ToolError } from '../errors.ts'
import { defineTool } from './define-tool.ts'
import type { ToolSpec } from './tool-spec.ts'

/** For definitions that TypeScript would refuse. */
const define = (definition: unknown): ToolSpec => defineTool(definition as ToolSpec)

function failure(definition: unknown): ToolError {
  try {
    define(definition)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('The definition was accepted.')
}

describe('definitions by JSON Schema', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, max: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } },
    required: ['city'],
    'x-vendor': { kept: true },
  } as const

  test('A tool keeps its parameters and its output schema apart, each exactly as defined. [C18]', () => {
    const outputSchema = { type: 'string' } as const
    const tool = defineTool({ name: 'weather', description: 'Tells', strict: true, parameters, outputSchema })
    expect(JSON.stringify(tool.parameters)).toBe(JSON.stringify(parameters))
    expect(tool).toMatchObject({ name: 'weather', description: 'Tells', strict: true, outputSchema })
    expect(tool).not.toHaveProperty('handler')
    expect(tool).not.toHaveProperty('validateArguments')
  })

  test('The nested definition and the MCP definition give the same tool. [S000.4]', () => {
    const handler = (): string => 'done'
    const nested = defineTool({
      type: 'function',
      function: { name: 'weather', description: 'Tells', strict: false, parameters },
      handler,
    })
    const mcp = defineTool({ name: 'weather', description: 'Tells', inputSchema: parameters, handler })
    expect(nested.strict).toBe(false)
    expect(mcp).not.toHaveProperty('strict')
    expect(nested.parameters).toEqual(mcp.parameters)
    expect(mcp.handler?.({ city: 'Oslo' })).toBe('done')
  })

  test('A tool without parameters gets an empty object schema.', () => {
    expect(defineTool({ name: 'now' }).parameters).toEqual({ type: 'object', properties: {} })
    expect(define({ name: 'now', description: null, strict: null })).not.toHaveProperty('description')
    expect(define({ name: 'now', parameters: null }).parameters).toEqual({ type: 'object', properties: {} })
  })

  test('A tool cannot be changed afterwards, neither directly nor through its source.', () => {
    const source = { type: 'object', properties: { a: { type: 'string', enum: ['x'] } } }
    const annotations = { readOnlyHint: true }
    const tool = defineTool({ name: 'a', parameters: source, annotations })
    source.properties.a.enum.push('y')
    annotations.readOnlyHint = false
    expect(tool.parameters).toEqual({ type: 'object', properties: { a: { type: 'string', enum: ['x'] } } })
    expect(tool.annotations).toEqual({ readOnlyHint: true })
    for (const object of [tool, tool.parameters, tool.parameters.properties?.a, tool.annotations]) {
      expect(Object.isFrozen(object)).toBe(true)
    }
    expect(Object.isFrozen(source)).toBe(false)
  })

  test('Schemas that are deep, cyclic or have a __proto__ key are accepted.', () => {
    let deep: Record<string, unknown> = { type: 'string' }
    for (let i = 0; i < 20_000; i++) deep = { type: 'object', properties: { a: deep } }
    expect(defineTool({ name: 'deep', parameters: deep }).parameters.type).toBe('object')

    const cyclic: Record<string, unknown> = { type: 'object' }
    cyclic.not = cyclic
    const copy = defineTool({ name: 'cyclic', parameters: cyclic }).parameters
    expect(copy.not).toBe(copy)
    expect(copy).not.toBe(cyclic)

    const poisoned: object = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
    const { properties } = defineTool({ name: 'poisoned', parameters: poisoned }).parameters
    expect(Object.keys(properties ?? {})).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype)
  })

  test('A defined tool is returned unchanged, and a spread copy is a separate tool.', () => {
    const tool = defineTool({ name: 'a', schema: z.object({}) })
    expect(defineTool(tool)).toBe(tool)
    const copy = defineTool({ ...tool, name: 'b' })
    expect(copy.name).toBe('b')
    expect(copy.validateArguments).toBe(tool.validateArguments)
    expect(Object.isFrozen(copy)).toBe(true)
    expect(failure({ ...tool, name: '' }).code).toBe('missing_name')
  })
})

describe('execution facts', () => {
  test('Execution facts are derived from the MCP hints unless stated.', () => {
    const of = (annotations: object, more: object = {}): ToolSpec =>
      define({ name: 'a', annotations, ...more })
    expect(of({ readOnlyHint: true })).toMatchObject({ parallel: true, idempotent: true })
    expect(of({ idempotentHint: true })).toMatchObject({ idempotent: true })
    expect(of({ idempotentHint: true })).not.toHaveProperty('parallel')
    expect(of({ idempotentHint: false })).toMatchObject({ idempotent: false })
    expect(of({ readOnlyHint: false })).not.toHaveProperty('parallel')
    expect(of({ readOnlyHint: true }, { parallel: false, idempotent: false })).toMatchObject({
      parallel: false,
      idempotent: false,
    })
    expect(defineTool({ name: 'a' })).not.toHaveProperty('idempotent')
  })

  test('Execution facts are stored on the tool.', () => {
    const facts = { timeoutMs: 500, needsApproval: true, parallel: true, idempotent: true, title: 'A' }
    expect(defineTool({ name: 'a', ...facts })).toMatchObject(facts)
  })
})

describe('definitions by a schema library', () => {
  test('A zod schema is converted to JSON Schema by its input side, and validates the arguments.', async () => {
    const parameters = z.object({ city: z.string(), days: z.number().default(3) })
    const tool = defineTool({ name: 'weather', parameters, handler: ({ days }) => days * 2 })
    expect(tool.parameters).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { type: 'string' }, days: { default: 3, type: 'number' } },
      required: ['city'],
    })
    expect(await tool.validateArguments?.({ city: 'Oslo' })).toEqual({ value: { city: 'Oslo', days: 3 } })
    expect(await tool.validateArguments?.({})).toMatchObject({ issues: [{ path: ['city'] }] })
    expect(tool.handler?.({ city: 'Oslo', days: 3 })).toBe(6)
  })

  test("Zod's safe-integer bounds are dropped, and only those.", () => {
    const max = Number.MAX_SAFE_INTEGER
    const inner = z.int().meta({ examples: [{ type: 'integer', maximum: max }] })
    const parameters = z.object({
      plain: z.int(),
      low: z.int().min(1),
      high: z.int().max(9),
      list: z.array(z.union([inner, z.null()])),
      float: z.number().max(max),
    })
    expect(defineTool({ name: 'a', parameters }).parameters.properties).toEqual({
      plain: { type: 'integer' },
      low: { type: 'integer', minimum: 1 },
      high: { type: 'integer', maximum: 9 },
      list: {
        type: 'array',
        items: {
          anyOf: [{ type: 'integer', examples: [{ type: 'integer', maximum: max }] }, { type: 'null' }],
        },
      },
      float: { type: 'number', maximum: max },
    })
  })

  test('An arktype schema defines a tool.', async () => {
    const tool = defineTool({ name: 'a', inputSchema: type({ city: 'string', 'unit?': "'c'|'f'" }) })
    expect(tool.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
      required: ['city'],
    })
    expect(await tool.validateArguments?.({ city: 1 })).toHaveProperty('issues')
    expect(await tool.validateArguments?.({ city: 'Oslo' })).not.toHaveProperty('issues')
  })

  test('A valibot schema wrapped by its own converter defines a tool.', async () => {
    const schema = toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) }))
    const tool = defineTool({ name: 'a', schema })
    expect(tool.parameters).toMatchObject({ properties: { city: { type: 'string' } }, required: ['city'] })
    expect(await tool.validateArguments?.({ city: 'Oslo' })).toMatchObject({
      value: { city: 'Oslo', days: 3 },
    })
  })

  test('The error for a schema that cannot be converted names a remedy that works.', async () => {
    const schema = v.object({ city: v.string() })
    const valibot = failure({ name: 'weather', parameters: schema })
    expect(valibot).toBeInstanceOf(TypeError)
    expect(valibot.code).toBe('schema_not_convertible')
    expect(valibot.message).toContain('Tool "weather": "parameters" is a valibot schema')
    expect(valibot.message).toContain('toStandardJsonSchema() of @valibot/to-json-schema')
    expect(valibot.message).toContain('give the JSON Schema as "parameters"')
    const zodMini = failure({ name: 'weather', schema: mini.object({ city: mini.string() }) })
    expect(zodMini.message).toContain('"schema" is a zod schema')
    expect(zodMini.message).toContain('z.toJSONSchema()')

    const parameters = { type: 'object', properties: { city: { type: 'string', minLength: 1 } } } as const
    const tool = defineTool({ name: 'weather', schema, parameters })
    expect(tool.parameters).toEqual(parameters)
    expect(await tool.validateArguments?.({})).toHaveProperty('issues')
    expect(defineTool({ name: 'weather', schema, inputSchema: parameters }).parameters).toEqual(parameters)
  })

  test('The error for a refused conversion has the reason of the library as its cause.', () => {
    const error = failure({ name: 'a', parameters: z.object({ at: z.date() }) })
    expect(error.code).toBe('schema_not_convertible')
    expect(error.message).toContain('Date cannot be represented in JSON Schema')
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('A library without the newer draft is asked for draft-07.', () => {
    const targets: string[] = []
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'old',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input({ target }: { target: string }) {
            targets.push(target)
            if (target !== 'draft-07') throw new Error('unsupported target')
            return { type: 'object', title: target }
          },
          output: () => ({}),
        },
      },
    }
    expect(defineTool({ name: 'a', schema }).parameters.title).toBe('draft-07')
    expect(targets).toEqual(['draft-2020-12', 'draft-07'])
  })

  test('An output schema is converted by its output side.', async () => {
    const outputSchema = z.object({ at: z.string().default('now') })
    const tool = defineTool({ name: 'a', outputSchema, handler: () => ({}) })
    expect(tool.outputSchema).toMatchObject({ type: 'object', required: ['at'] })
    expect(await tool.validateResult?.({})).toEqual({ value: { at: 'now' } })
    expect(failure({ name: 'a', outputSchema: v.string() }).message).toContain(
      'give the output schema as JSON Schema',
    )
  })

  test('A handler written as a method is bound to its definition.', () => {
    class Counter {
      readonly name = 'count'
      calls = 0
      handler(): number {
        this.calls += 1
        return this.calls
      }
    }
    const tool = defineTool(new Counter())
    tool.handler?.({})
    expect(tool.handler?.({})).toBe(2)
  })
})

describe('refused definitions', () => {
  test.each<[code: string, message: string, definition: unknown]>([
    ['invalid_definition', 'must be an object; got null', null],
    ['invalid_definition', 'must be an object; got a list', []],
    [
      'invalid_definition',
      '"type" must be "function" or left out; got "custom"',
      { type: 'custom', name: 'a' },
    ],
    ['missing_name', '"name" must be a non-empty string; got nothing', {}],
    ['missing_name', '"name" must be a non-empty string; got ""', { name: '' }],
    ['missing_name', '"function.name" must be a non-empty string; got 3', { function: { name: 3 } }],
    ['invalid_definition', '"function" must be an object; got "a"', { function: 'a' }],
    ['invalid_definition', '"description" must be a string; got 1', { name: 'a', description: 1 }],
    [
      'invalid_definition',
      'Tool "a": "function.strict" must be true or false; got "yes"',
      { type: 'function', function: { name: 'a', strict: 'yes' } },
    ],
    ['invalid_definition', '"handler" must be a function', { name: 'a', handler: {} }],
    ['invalid_definition', '"timeoutMs" must be a positive number; got -1', { name: 'a', timeoutMs: -1 }],
    [
      'invalid_definition',
      '"timeoutMs" must be a positive number',
      { name: 'a', timeoutMs: Number.POSITIVE_INFINITY },
    ],
    ['invalid_definition', '"parameters" must be a JSON Schema object', { name: 'a', parameters: 'object' }],
    ['invalid_definition', 'got a list', { name: 'a', inputSchema: [] }],
    ['invalid_definition', '"schema" must be a Standard Schema', { name: 'a', schema: { type: 'object' } }],
    [
      'invalid_definition',
      '"parameters" and "inputSchema" mean the same',
      { name: 'a', parameters: {}, inputSchema: {} },
    ],
    ['parameters_not_object', 'its type is "string"', { name: 'a', parameters: { type: 'string' } }],
    [
      'parameters_not_object',
      'its type is ["string","null"]',
      { name: 'a', parameters: { type: ['string', 'null'] } },
    ],
    ['parameters_not_object', 'its type is "array"', { name: 'a', schema: z.array(z.string()) }],
    ['invalid_definition', 'Did you mean "parameters"?', { name: 'a', paramaters: {} }],
    ['invalid_definition', 'Did you mean "inputSchema"?', { name: 'a', input_schema: {} }],
    ['invalid_definition', 'Did you mean "description"?', { function: { name: 'a', desciption: '' } }],
    ['invalid_definition', 'Move it inside "function"', { function: { name: 'a' }, strict: true }],
  ])('A bad definition fails with %s: %s', (code, message, definition) => {
    const error = failure(definition)
    expect(error.message).toContain(message)
    expect(error).toMatchObject({ code, name: 'ToolError' })
    expect(error).toBeInstanceOf(TypeError)
  })

  test('Unknown fields of MCP are ignored.', () => {
    expect(define({ name: 'a', _meta: {}, icons: [], execution: {} }).name).toBe('a')
  })

  test('A union at the root is accepted, since it may be an object.', () => {
    expect(define({ name: 'a', parameters: { anyOf: [{ type: 'object' }] } }).parameters).toHaveProperty(
      'anyOf',
    )
    expect(define({ name: 'a', parameters: { type: ['object', 'null'] } }).name).toBe('a')
  })
})
