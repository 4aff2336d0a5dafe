import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import type { FromSchema } from './from-schema.ts'
import { ToolRegistry } from './registry.ts'
import type { ToolSpec } from './tool-spec.ts'

describe('argument types from schema libraries', () => {
  test('The arguments of a zod schema have its output type, after defaults and transforms.', () => {
    defineTool({
      name: 'weather',
      parameters: z.object({
        city: z.string(),
        days: z.int().default(3),
        unit: z.enum(['c', 'f']).optional(),
        at: z.string().transform(text => text.length),
      }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{
          city: string
          days: number
          unit?: 'c' | 'f' | undefined
          at: number
        }>()
      },
    })
  })

  test('The types of valibot are inferred, wrapped or beside a JSON Schema.', () => {
    const schema = v.object({ city: v.string(), days: v.optional(v.number()) })
    interface Args {
      city: string
      days?: number | undefined
    }
    defineTool({
      name: 'wrapped',
      inputSchema: toStandardJsonSchema(schema),
      handler: args => expectTypeOf(args).toEqualTypeOf<Args>(),
    })
    defineTool({
      name: 'beside',
      schema,
      parameters: { type: 'object', properties: { city: { type: 'integer' } } },
      handler: args => expectTypeOf(args).toEqualTypeOf<Args>(),
    })
  })

  test('The types of arktype are inferred, although its schemas are functions.', () => {
    defineTool({
      name: 'weather',
      schema: type({ city: 'string', 'unit?': "'c'|'f'" }),
      handler: args => expectTypeOf(args).toEqualTypeOf<{ city: string; unit?: 'c' | 'f' }>(),
    })
  })
})

describe('argument types from JSON Schema literals', () => {
  test('A JSON Schema literal needs no `as const`.', () => {
    const tool = defineTool({
      name: 'weather',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['c', 'f'] },
          days: { type: ['integer', 'null'] },
          tags: { type: 'array', items: { type: 'string' } },
          where: { anyOf: [{ type: 'string' }, { type: 'object', properties: { lat: { type: 'number' } } }] },
          mode: { const: 'fast' },
        },
        required: ['city', 'days'],
      },
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<Args>()
        return 'sunny'
      },
    })
    interface Args {
      city: string
      unit?: 'c' | 'f'
      days: number | null
      tags?: string[]
      where?: string | { lat?: number }
      mode?: 'fast'
    }
    expectTypeOf(tool).toExtend<ToolSpec<Args>>()
  })

  test('The nested definition and MCP tools are inferred in the same way.', () => {
    const parameters = {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
    } as const
    defineTool({
      type: 'function',
      function: { name: 'read', description: 'Read a file', strict: true, parameters },
      handler: args => expectTypeOf(args).toEqualTypeOf<{ path: string }>(),
    })
    defineTool({
      name: 'read',
      title: 'Read',
      inputSchema: parameters,
      annotations: { readOnlyHint: true },
      handler: ({ path }) => expectTypeOf(path).toBeString(),
    })
  })

  test('The types of the MCP SDK are accepted as they are.', () => {
    interface McpTool {
      [field: string]: unknown
      name: string
      title?: string | undefined
      description?: string | undefined
      inputSchema: {
        [keyword: string]: unknown
        type: 'object'
        properties?: { [name: string]: object } | undefined
        required?: string[] | undefined
      }
      annotations?: { title?: string | undefined; readOnlyHint?: boolean | undefined } | undefined
    }
    const listed: McpTool = { name: 'search', inputSchema: { type: 'object' } }
    defineTool({
      ...listed,
      handler: args => expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>(),
    })
  })

  test('Types are inferred inside register too.', () => {
    new ToolRegistry().register({
      name: 'read',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      handler: args => expectTypeOf(args).toEqualTypeOf<{ path: string }>(),
    })
  })

  test('An unknown schema gives an open object.', () => {
    interface Foreign {
      type?: 'object' | 'string'
      properties?: { [key: string]: Foreign }
    }
    const foreign: Foreign = { type: 'object' }
    const handler = (args: { [key: string]: unknown }): unknown => args
    defineTool({
      name: 'none',
      handler: args => expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>(),
    })
    defineTool({
      name: 'foreign',
      parameters: foreign,
      handler: args => expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>(),
    })
    defineTool({ name: 'plain', parameters: { type: 'object' }, handler })
  })

  test('An inferred type is too wide rather than wrong.', () => {
    expectTypeOf<FromSchema<{ $ref: '#/$defs/a' }>>().toEqualTypeOf<unknown>()
    expectTypeOf<FromSchema<{ allOf: [{ type: 'string' }] }>>().toEqualTypeOf<unknown>()
    expectTypeOf<FromSchema<{ type: string }>>().toEqualTypeOf<unknown>()
    expectTypeOf<FromSchema<true>>().toEqualTypeOf<unknown>()
    expectTypeOf<FromSchema<false>>().toEqualTypeOf<never>()
    expectTypeOf<FromSchema<{ type: 'array'; prefixItems: [{ type: 'string' }] }>>().toEqualTypeOf<
      unknown[]
    >()
    expectTypeOf<FromSchema<{ type: 'string'; nullable: true }>>().toEqualTypeOf<string | null>()
    // The type `string[]` does not reveal which keys are required.
    type Loose = { type: 'object'; properties: { a: { type: 'string' } }; required: string[] }
    expectTypeOf<FromSchema<Loose>>().toEqualTypeOf<{ a?: string }>()
    type Undeclared = { type: 'object'; properties: { a: { type: 'string' } }; required: ['b'] }
    expectTypeOf<FromSchema<Undeclared>>().toEqualTypeOf<{ a?: string; b: unknown }>()
    type Map = { type: 'object'; additionalProperties: { type: 'number' } }
    expectTypeOf<FromSchema<Map>>().toEqualTypeOf<{ [key: string]: number }>()
    type Choice = { oneOf: [{ const: 1 }, { const: { a: 'x' } }, { type: 'null' }] }
    expectTypeOf<FromSchema<Choice>>().toEqualTypeOf<1 | { a: 'x' } | null>()
  })

  test('Inference ends on a type that contains itself.', () => {
    interface Recursive {
      type: 'object'
      properties: { child: Recursive }
      required: ['child']
    }
    expectTypeOf<FromSchema<Recursive>['child']['child']>().toBeObject()
    type Nested = FromSchema<{ type: 'array'; items: { type: 'array'; items: { type: 'string' } } }>
    expectTypeOf<Nested>().toEqualTypeOf<string[][]>()
  })
})

describe('result types', () => {
  test('The handler must return what the output schema describes.', () => {
    const outputSchema = {
      type: 'object',
      properties: { degrees: { type: 'number' } },
      required: ['degrees'],
    } as const
    const tool = defineTool({ name: 'ok', outputSchema, handler: () => ({ degrees: 20 }) })
    expectTypeOf(tool).toExtend<ToolSpec<unknown, { degrees: number }>>()
    // @ts-expect-error the schema requires a number
    defineTool({ name: 'bad', outputSchema, handler: () => ({ degrees: 'warm' }) })
    // A schema library may still transform the result, so the handler returns what it accepts.
    defineTool({
      name: 'standard',
      outputSchema: z.object({ degrees: z.coerce.number<string>() }),
      handler: async () => ({ degrees: '20' }),
    })
  })

  test('With exactOptionalPropertyTypes, undefined is accepted in a definition and absent in the tool.', () => {
    const tool = defineTool({ name: 'a', description: undefined, timeoutMs: undefined })
    expect(Object.keys(tool)).toEqual(['name', 'parameters'])
    // @ts-expect-error an optional field of a tool is absent, never undefined
    expectTypeOf<{ description: undefined }>().toExtend<Pick<ToolSpec, 'description'>>()
  })

  test('A misspelt field is refused, by the types and at run time.', () => {
    // @ts-expect-error there is no such field
    expect(() => defineTool({ name: 'a', paramters: {} })).toThrow('Did you mean "parameters"?')
    // @ts-expect-error there is no such field
    expect(() => defineTool({ type: 'function', function: { name: 'a', strct: true } })).toThrow('"strict"?')
  })

  test('Fields beside "function" are refused.', () => {
    // @ts-expect-error nested definitions keep their fields inside "function"
    const mixed = () => defineTool({ type: 'function', name: 'a', function: { name: 'a' } })
    expect(mixed).toThrow('"name" is beside "function"')
  })

  test('A tool defined with a handler has a handler by its type.', async () => {
    const parameters = {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
    } as const
    const read = defineTool({ name: 'read', parameters, handler: ({ path }) => path.length })
    expectTypeOf(read.handler).parameter(0).toEqualTypeOf<{ path: string }>()
    expect(await read.handler({ path: 'abc' })).toBe(3)
    const nested = defineTool({
      type: 'function',
      function: { name: 'read', parameters },
      async handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ path: string }>()
        return args.path
      },
    })
    expect(await nested.handler({ path: 'abc' })).toBe('abc')
    const zod = defineTool({
      name: 'zod',
      schema: z.object({ n: z.int().default(1) }),
      handler: ({ n }) => n,
    })
    expect(await zod.handler({ n: 2 })).toBe(2)
    // @ts-expect-error the handler's arguments are still checked
    expect(() => zod.handler({ n: 'two' })).not.toThrow()
    const registered = new ToolRegistry().register({ name: 'b', handler: () => 'b' })
    expect(await registered.handler({})).toBe('b')
    expectTypeOf(read).toExtend<ToolSpec<{ path: string }>>()
    expectTypeOf(defineTool(read)).toEqualTypeOf<typeof read>()
    expectTypeOf(defineTool({ ...read, name: 'other' }).handler).toEqualTypeOf<typeof read.handler>()
  })

  test('A tool defined without a handler, or with an optional one, does not promise one.', () => {
    expectTypeOf(defineTool({ name: 'a' }).handler).toBeNullable()
    expectTypeOf(defineTool({ type: 'function', function: { name: 'a' } }).handler).toBeNullable()
    const maybe: { name: string; handler?: () => string } = { name: 'a' }
    expectTypeOf(defineTool(maybe).handler).toBeNullable()
    expectTypeOf(new ToolRegistry().register({ name: 'a' }).handler).toBeNullable()
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const typed = defineTool({ name: 'a', outputSchema, handler: () => ({ n: 1 }) })
    expectTypeOf<Awaited<ReturnType<typeof typed.handler>>>().toEqualTypeOf<{ n: number }>()
  })

  test('Tools with different arguments fit into one list.', () => {
    const one = defineTool({ name: 'one', schema: z.object({ a: z.string() }), handler: args => args.a })
    const two = defineTool({
      name: 'two',
      parameters: { type: 'object', properties: { b: { type: 'number' } } },
      handler: args => args.b,
    })
    const tools: ToolSpec[] = [one, two]
    new ToolRegistry([one, two, { name: 'three' }]).list()
    expectTypeOf(tools[0]?.parameters).not.toBeAny()
  })
})
