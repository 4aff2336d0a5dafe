import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toolsOf } from '../../../../../test/support/arbitraries/tools.ts'
import { fixtures } from '../../../../../test/support/fixtures/fixtures.ts'
import { createReport } from '../../model/diagnostic.ts'
import type { Tool } from '../../model/tool.ts'
import { createValidator } from '../../schema/validate/validate.ts'
import { builtInConversations, wireNames as wires } from '../../wires/registry.ts'
import type { SampleOptions } from './sample.ts'
import { SampleError, sampleFromSchema, trySample } from './sample.ts'

const seeds = Array.from({ length: 25 }, (_, seed) => seed)

/** Samples in every style; each of them is valid. */
function samples(schema: unknown, more: SampleOptions = {}): unknown[] {
  const validator = createValidator(schema)
  return seeds.flatMap(seed =>
    [{ seed }, { seed, minimal: true }, { seed, oddTexts: true }].map(options => {
      const value = sampleFromSchema(schema, { ...options, ...more })
      expect(validator.validate(value), JSON.stringify(value)).toEqual({ ok: true })
      return value
    }),
  )
}

describe('A schema that tools use', () => {
  test.each<[what: string, schema: unknown]>([
    ['several types', { type: ['string', 'null'] }],
    ['no keyword', {}],
    ['nothing but true', true],
    ['a const', { const: { a: [1, null] } }],
    ['an enum and a type', { type: 'string', enum: [1, 'a', 'b', null] }],
    ['bounds', { type: 'number', minimum: 0.5, exclusiveMaximum: 0.75 }],
    ['a narrow gap', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 }],
    ['one integer', { type: 'integer', minimum: 7, maximum: 7 }],
    ['exclusive integers', { type: 'integer', exclusiveMinimum: 2, exclusiveMaximum: 4 }],
    ['negative integers', { type: 'integer', maximum: -5 }],
    ['safe-integer bounds', { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }],
    ['multiples', { type: 'number', multipleOf: 0.05, minimum: 1 }],
    [
      'multiples of two steps',
      { allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], type: 'integer', minimum: 1 },
    ],
    ['lengths', { type: 'string', minLength: 3, maxLength: 4 }],
    ['a long text', { type: 'string', minLength: 500 }],
    ['an empty text', { type: 'string', maxLength: 0 }],
    ['a short e-mail', { type: 'string', format: 'email', maxLength: 9 }],
    ['a long e-mail', { type: 'string', format: 'email', minLength: 40 }],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
    ],
    ['unique items', { type: 'array', items: { enum: [1, 2, 3, 4, 5] }, uniqueItems: true, minItems: 5 }],
    ['unique booleans', { type: 'array', items: { type: 'boolean' }, uniqueItems: true }],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 3 }],
    [
      'few properties',
      { type: 'object', properties: { a: {}, b: {}, c: {} }, minProperties: 1, maxProperties: 1 },
    ],
    ['forbidden properties', { type: 'object', properties: { a: false, b: { type: 'string' } } }],
    [
      'property names such as __proto__',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}},"required":["__proto__","constructor"]}',
      ),
    ],
    [
      'merged branches',
      {
        allOf: [
          { properties: { a: { minimum: 3 } } },
          { properties: { a: { type: 'integer', maximum: 4 } }, required: ['a'] },
        ],
        type: 'object',
      },
    ],
    [
      'branches with siblings',
      {
        type: 'object',
        properties: { n: { type: 'integer' } },
        anyOf: [{ required: ['n'] }, { required: ['m'] }],
      },
    ],
    ['overlapping oneOf branches', { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] }],
    [
      'oneOf objects',
      {
        oneOf: ['a', 'b'].map(kind => ({
          type: 'object',
          properties: { kind: { const: kind }, [kind]: { type: 'string' } },
          required: ['kind', kind],
          additionalProperties: false,
        })),
      },
    ],
    ['a not', { type: 'integer', minimum: 0, maximum: 3, not: { enum: [0, 1, 2] } }],
    [
      'properties that exclude each other',
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        not: { required: ['a', 'b'] },
      },
    ],
    [
      'a list that is its own item',
      {
        $defs: {
          node: {
            type: 'object',
            properties: {
              value: { type: 'integer' },
              next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            },
            required: ['value', 'next'],
          },
        },
        $ref: '#/$defs/node',
      },
    ],
    [
      'a tree',
      {
        type: 'object',
        properties: {
          children: { type: 'array', items: { $ref: '#' }, minItems: 0 },
          name: { type: 'string' },
        },
        required: ['children', 'name'],
      },
    ],
    [
      'two definitions that need each other',
      {
        $defs: {
          a: {
            oneOf: [
              { type: 'object', properties: { b: { $ref: '#/$defs/b' } }, required: ['b'] },
              { const: 'end' },
            ],
          },
          b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] },
        },
        $ref: '#/$defs/b',
      },
    ],
    ['nullable as in OpenAPI', { type: 'string', nullable: true, enum: ['a'] }],
    [
      'keywords of old drafts',
      {
        type: 'object',
        properties: { a: { type: 'INTEGER', required: true, minimum: 1, exclusiveMinimum: true } },
      },
    ],
    ['a default that does not fit', { type: 'string', minLength: 4, default: 'no', examples: [3] }],
    [
      'unevaluatedProperties',
      { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }], unevaluatedProperties: false },
    ],
  ])('A schema with %s has valid samples.', (_, schema) => {
    samples(schema)
  })

  test.each([
    'date',
    'time',
    'date-time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uuid',
    'json-pointer',
    'regex',
    'a-format-of-ones-own',
  ])('The format %s has valid samples.', format => {
    samples({ type: 'string', format })
  })

  test.each([
    '^[A-Z]{2}-\\d{4}$',
    '^(foo|bar)+$',
    '\\w+@\\w+\\.com',
    '^\\p{Lu}\\p{Ll}*$',
    '^[^a-z]$',
    '^#(?:[0-9a-f]{3}){1,2}$',
    '^$',
    '[\\w-.]+',
    '^\\s\\S$',
    '^a{0,2}b{40}$',
    '\\bword\\b',
    '^[あ-ん]+$',
  ])('The pattern %s has valid samples.', pattern => {
    samples({ type: 'string', pattern })
  })

  test('A pattern with lengths or a format has valid samples.', () => {
    for (const text of samples({ type: 'string', pattern: '^[a-f0-9]+$', minLength: 40, maxLength: 40 }))
      expect(text).toHaveLength(40)
    samples({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 20, maxLength: 30 })
    samples({ type: 'string', format: 'date', pattern: '^20' })
  })
})

test.each<[keyword: string, schema: unknown]>([
  ['contains', { type: 'array', items: { type: 'integer' }, contains: { minimum: 900 } }],
  ['dependentRequired', { type: 'object', required: ['a'], dependentRequired: { a: ['b'] } }],
  ['propertyNames', { type: 'object', propertyNames: { pattern: '^[A-Z]$' }, minProperties: 1 }],
])('A schema that needs %s is refused instead of sampled wrongly.', (_, schema) => {
  expect(() => sampleFromSchema(schema)).toThrow(SampleError)
})

describe('Samples', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', examples: ['Oslo', 'Ålesund'] },
      days: { type: 'integer', minimum: 1, maximum: 14, default: 3 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
  }

  test('The same seed gives the same sample, and other seeds give others.', () => {
    for (const seed of seeds)
      expect(sampleFromSchema(schema, { seed })).toEqual(sampleFromSchema(schema, { seed }))
    expect(
      new Set(seeds.map(seed => JSON.stringify(sampleFromSchema(schema, { seed })))).size,
    ).toBeGreaterThan(15)
    const random = (): number => 0.25
    expect(sampleFromSchema(schema, { random })).toEqual(sampleFromSchema(schema, { seed: 0x4000_0000 }))
  })

  test('A minimal sample has only what is required.', () => {
    expect(sampleFromSchema(schema, { minimal: true })).toEqual({ city: 'Oslo' })
    expect(sampleFromSchema({ type: 'array', items: {}, minItems: 2 }, { minimal: true })).toEqual(['', ''])
  })

  test('Samples prefer examples and defaults, and often have optional properties.', () => {
    const made = seeds.map(
      seed => sampleFromSchema(schema, { seed }) as { city: string; days?: number; tags?: string[] },
    )
    expect(made.filter(({ city }) => ['Oslo', 'Ålesund'].includes(city)).length).toBeGreaterThan(
      seeds.length / 2,
    )
    expect(made.filter(({ days }) => days === 3).length).toBeGreaterThan(5)
    expect(made.filter(({ tags }) => tags !== undefined).length).toBeGreaterThan(10)
    expect(made.filter(({ tags }) => tags === undefined).length).toBeGreaterThan(2)
  })

  test('Samples take every branch, and null sometimes.', () => {
    const made = new Set(
      seeds.map(seed => sampleFromSchema({ anyOf: [{ const: 1 }, { const: 2 }, { const: 3 }] }, { seed })),
    )
    expect([...made].sort()).toEqual([1, 2, 3])
    const nulls = seeds.filter(seed => sampleFromSchema({ type: ['integer', 'null'] }, { seed }) === null)
    expect(nulls.length).toBeGreaterThan(0)
    expect(nulls.length).toBeLessThan(seeds.length / 2)
  })

  test('A sample shares nothing with its schema.', () => {
    const example = { a: [1] }
    const value = sampleFromSchema({ const: example }) as { a: number[] }
    value.a.push(2)
    expect(example).toEqual({ a: [1] })
  })

  test('A schema without values is refused with a reason.', () => {
    expect(trySample(false)).toMatchObject({ ok: false, issues: [{ keyword: 'false' }] })
    expect(() => sampleFromSchema({ type: 'string', minLength: 5, maxLength: 2 })).toThrow(SampleError)
    expect(() => sampleFromSchema({ type: 'integer', minimum: 3, maximum: 2 })).toThrow(
      /No value .* must be at most 2/,
    )
    expect(() => sampleFromSchema('string')).toThrow(
      'A JSON Schema must be an object, true or false; got "string".',
    )
    const endless = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }
    expect(() => sampleFromSchema(endless)).toThrow('what it requires has no end')
    const chain = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { type: 'array', items: { $ref: `#/$defs/d${i + 1}` }, minItems: 2 },
      ]),
    )
    expect(() => sampleFromSchema({ $defs: { ...chain, d40: {} }, $ref: '#/$defs/d0' })).toThrow(
      'what it requires has no end',
    )
  })

  test('A hostile schema does not take for ever.', () => {
    // The validator cannot check such a pattern either, so whatever text there is will do.
    expect(trySample({ type: 'string', pattern: '^((a{1000}){1000}){1000}$' }).ok).toBe(true)
    expect(trySample({ $ref: '#' }).ok).toBe(true)
    expect(trySample({ allOf: [{ $ref: '#' }], type: 'integer' }).ok).toBe(true)
    let deep: unknown = {}
    for (let i = 0; i < 1000; i++) deep = { properties: { a: deep } }
    expect(trySample(deep)).toMatchObject({ ok: false, reason: expect.stringContaining('nested deeper') })
  })
})

const schemasOf = (tool: Tool): unknown[] => {
  if (tool.kind === 'namespace') return tool.tools.flatMap(schemasOf)
  if (tool.kind === 'hosted') return [tool.emulation?.parameters ?? {}]
  return tool.kind === 'function' ? [tool.parameters ?? {}] : []
}

describe('Tools', () => {
  test.each(fixtures)('The tools of the fixture $wire/$story have valid samples.', ({ wire, body }) => {
    const { tools = [], additionalTools = [] } = builtInConversations[wire].decodeToolParams(
      body,
      createReport().report,
    )
    for (const schema of [...tools, ...additionalTools].flatMap(schemasOf))
      if (typeof schema === 'object') samples(schema)
  })

  test('Generated tools have valid samples.', () => {
    for (const wire of wires) {
      fc.assert(
        fc.property(toolsOf(wire), fc.integer(), (tools, seed) => {
          const decoded = tools.map(tool =>
            builtInConversations[wire].decodeTool(tool, [], createReport().report),
          )
          for (const schema of decoded.flatMap(schemasOf)) {
            const result = trySample(schema, { seed, oddTexts: true })
            expect(result, JSON.stringify(schema)).toMatchObject({ ok: true })
          }
        }),
      )
    }
  })
})
