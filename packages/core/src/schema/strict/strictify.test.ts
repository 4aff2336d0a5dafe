import { describe, expect, test } from 'vitest'
import { strictify } from './strictify.ts'

/** What is not listed as required is optional. */
const object = (properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
})

/** Wraps one property, converts, and gives the property back: most rules concern what is below the root. */
function property(
  schema: unknown,
  extra: Record<string, unknown> = {},
): { out: unknown; strict: boolean; codes: string[] } {
  const result = strictify({ ...object({ x: schema }, ['x']), ...extra })
  const root = result.schema
  const out = (root as { properties: { x: unknown } }).properties.x
  const codes = result.diagnostics
    .filter(one => one.path.length > 0)
    .map(one => `${one.code} ${one.path.join('/')}`)
  return { out, strict: result.strict, codes }
}

describe('what becomes strict', () => {
  test('An optional property becomes required and nullable, and nested objects are closed.', () => {
    const result = strictify(
      object(
        { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, at: object({ lat: { type: 'number' } }) },
        ['city'],
      ),
      { path: ['tools', 0, 'parameters'] },
    )
    expect(result.strict).toBe(true)
    expect(result.schema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: ['string', 'null'], enum: ['c', 'f', null] },
        at: {
          anyOf: [
            {
              type: 'object',
              properties: { lat: { type: ['number', 'null'] } },
              required: ['lat'],
              additionalProperties: false,
            },
            { type: 'null' },
          ],
        },
      },
      required: ['city', 'unit', 'at'],
      additionalProperties: false,
    })
    expect(result.diagnostics.map(one => `${one.code} ${one.path.slice(3).join('/')}`).sort()).toEqual([
      'strict_object_closed ',
      'strict_object_closed properties/at',
      'strict_optional_nullable properties/at',
      'strict_optional_nullable properties/at/properties/lat',
      'strict_optional_nullable properties/unit',
      'strict_type_inferred properties/unit',
    ])
    expect(result.undo({ city: 'x', unit: null, at: { lat: null } })).toEqual({ city: 'x', at: {} })
    expect(result.undo({ city: 'x', unit: 'c', at: null })).toEqual({ city: 'x', unit: 'c' })
  })

  test.each<[string, unknown, unknown]>([
    ['const', { const: 'a' }, { type: ['string', 'null'], enum: ['a', null] }],
    ['enum with its type', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'enum that lists null against its type',
      { type: 'string', enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'a union',
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    ],
    [
      'a reference',
      { $ref: '#/$defs/s', description: 'd' },
      { description: 'd', anyOf: [{ $ref: '#/$defs/s' }, { type: 'null' }] },
    ],
    [
      'an array',
      { type: 'array', items: { type: 'string' }, description: 'd' },
      { description: 'd', anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    ],
    ['OpenAPI nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ])('An optional property becomes nullable: %s.', (_name, schema, expected) => {
    const result = strictify({ ...object({ x: schema }), $defs: { s: { type: 'string' } } })
    expect(result.schema).toMatchObject({ properties: { x: expected }, required: ['x'] })
  })

  test.each<[string, unknown]>([
    ['type list', { type: ['string', 'null'] }],
    ['enum', { enum: ['a', null] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['$ref', { $ref: '#/$defs/n' }],
    ['nullable', { type: 'string', nullable: true }],
    ['hoisted $ref', { $ref: '#/properties/other/properties/n' }],
  ])('undo keeps a null that was valid before: %s.', (_name, schema) => {
    const given = {
      ...object({ x: schema, other: object({ n: { type: ['string', 'null'] } }, ['n']) }),
      $defs: { n: { type: ['string', 'null'] } },
    }
    const result = strictify(given)
    expect(result.strict).toBe(true)
    const args = { x: null, other: { n: null } }
    expect(result.undo(args)).toBe(args)
    expect(result.undo({ x: null, other: null })).toEqual({ x: null })
  })

  test('Keywords that strict mode does not support move into the description.', () => {
    const { out, codes } = property({
      type: 'array',
      description: 'Tags.',
      items: { type: 'string', format: 'uri', default: 'x', pattern: '^(?=a)', minLength: 1 },
      uniqueItems: true,
      'x-order': 3,
    })
    expect(out).toEqual({
      type: 'array',
      description: 'Tags. (uniqueItems: true)',
      items: { type: 'string', minLength: 1, description: '(format: uri) (default: "x") (pattern: ^(?=a))' },
    })
    expect(codes).toEqual([
      'strict_keyword_in_description properties/x/items/format',
      'strict_keyword_in_description properties/x/items/default',
      'strict_keyword_in_description properties/x/items/pattern',
      'strict_keyword_in_description properties/x/uniqueItems',
      'strict_keyword_removed properties/x/x-order',
    ])
  })

  test('A discriminated oneOf becomes anyOf, also through references.', () => {
    const $defs = {
      cat: object({ kind: { const: 'cat' }, lives: { type: 'integer' } }, ['kind', 'lives']),
      dog: object({ kind: { enum: ['dog', 'wolf'] } }, ['kind']),
    }
    const { out, strict } = property(
      { oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }], discriminator: { propertyName: 'kind' } },
      { $defs },
    )
    expect(strict).toBe(true)
    expect(out).toEqual({ anyOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }] })
  })

  test.each<[string, unknown, boolean]>([
    ['disjoint types', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, true],
    ['number and integer overlap', { oneOf: [{ type: 'number' }, { type: 'integer' }] }, false],
    ['disjoint values', { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, true],
    ['shared values', { oneOf: [{ const: 'a' }, { enum: ['a', 'c'] }] }, false],
    [
      'open objects',
      { oneOf: [object({ a: { type: 'string' } }, ['a']), object({ b: { type: 'string' } }, ['b'])] },
      false,
    ],
    [
      'closed objects',
      {
        oneOf: [
          { ...object({ a: { type: 'string' } }, ['a']), additionalProperties: false },
          { ...object({ b: { type: 'string' } }, ['b']), additionalProperties: false },
        ],
      },
      true,
    ],
    [
      'tag required on neither side',
      { oneOf: [object({ k: { const: 1 } }), object({ k: { const: 2 } })] },
      false,
    ],
    [
      'tag required on one side',
      { oneOf: [object({ k: { const: 1 } }, ['k']), object({ k: { const: 2 } })] },
      true,
    ],
    [
      'tag in the base',
      {
        type: 'object',
        required: ['k'],
        oneOf: [{ properties: { k: { const: 1 } } }, { properties: { k: { const: 2 } } }],
      },
      true,
    ],
    ['overlapping strings', { oneOf: [{ type: 'string', minLength: 3 }, { type: 'string' }] }, false],
    [
      'string or object both sides',
      {
        oneOf: [
          { type: ['string', 'object'], properties: { k: { const: 1 } }, required: ['k'] },
          { type: ['string', 'object'], properties: { k: { const: 2 } }, required: ['k'] },
        ],
      },
      false,
    ],
  ])('A oneOf is converted only if its branches exclude each other: %s.', (_name, schema, expected) => {
    const result = property(schema)
    expect(result.strict).toBe(expected)
    if (!expected) expect(result.codes).toEqual(['strict_union_not_exclusive properties/x/oneOf'])
  })

  test('An allOf is merged where that is exact.', () => {
    expect(
      property({
        allOf: [
          object({ a: { type: 'string' } }, ['a']),
          object({ b: { type: 'number', minimum: 1 } }, ['b']),
          object({ b: { maximum: 3 } }),
        ],
      }).out,
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number', minimum: 1, maximum: 3 } },
      required: ['a', 'b'],
      additionalProperties: false,
    })
    const $defs = { base: object({ id: { type: 'string' } }, ['id']) }
    expect(property({ description: 'd', allOf: [{ $ref: '#/$defs/base' }] }, { $defs }).out).toEqual({
      description: 'd',
      anyOf: [{ $ref: '#/$defs/base' }],
    })
    expect(
      property({ allOf: [{ $ref: '#/$defs/base' }, object({ n: { type: 'null' } }, ['n'])] }, { $defs }).out,
    ).toMatchObject({
      properties: { id: { type: 'string' }, n: { type: 'null' } },
      required: ['id', 'n'],
    })
  })

  test.each<[string, unknown]>([
    ['two patterns', { allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] }],
    [
      'a closed branch without the other branch’s property',
      {
        allOf: [
          { ...object({ a: { type: 'string' } }), additionalProperties: false },
          object({ b: { type: 'string' } }),
        ],
      },
    ],
    ['nothing in common', { allOf: [{ type: 'string' }, { type: 'number' }] }],
    ['itself', { $ref: '#/$defs/loop' }],
  ])('strictify refuses allOf with %s.', (_name, schema) => {
    const result = property(schema, {
      $defs: { loop: { allOf: [{ $ref: '#/$defs/loop' }, { type: 'object' }] } },
    })
    expect(result.strict).toBe(false)
    expect(result.codes.some(code => code.startsWith('strict_all_of_not_mergeable'))).toBe(true)
  })

  test('strictify keeps recursion, and undo removes nulls at every level.', () => {
    const result = strictify({
      $ref: '#/$defs/node',
      $defs: {
        node: object(
          {
            value: { type: 'string' },
            next: { $ref: '#/$defs/node' },
            kids: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          ['value'],
        ),
      },
    })
    expect(result.strict).toBe(true)
    expect(
      result.undo({
        value: 'a',
        next: { value: 'b', next: null, kids: [{ value: 'c', next: null, kids: null }] },
        kids: null,
      }),
    ).toEqual({
      value: 'a',
      next: { value: 'b', kids: [{ value: 'c' }] },
    })
  })

  test('Anchors, other pointers and nested definitions become definitions of the root.', () => {
    const given = object(
      {
        a: { ...object({ s: { type: 'string', minLength: 2 } }), $defs: { inner: { type: 'boolean' } } },
        b: { $ref: '#/properties/a/properties/s' },
        c: { $ref: '#here' },
        d: { $ref: '#/properties/a/$defs/inner' },
      },
      ['a', 'b', 'c', 'd'],
    )
    const result = strictify({
      ...given,
      definitions: { s: { type: 'null' }, q: { $anchor: 'here', type: 'number' } },
    })
    expect(result.strict).toBe(true)
    expect(result.schema).toMatchObject({
      properties: {
        b: { $ref: '#/definitions/s_2' },
        c: { $ref: '#/definitions/q' },
        d: { $ref: '#/definitions/inner' },
      },
      definitions: {
        q: { type: 'number' },
        s_2: { type: 'string', minLength: 2 },
        inner: { type: 'boolean' },
      },
    })
  })

  test('Rules about which properties are present move into the description.', () => {
    const given = {
      ...object({ a: { type: 'string' }, b: { type: 'string' } }),
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      description: 'Pick.',
    }
    expect(strictify(given)).toMatchObject({
      strict: true,
      schema: { description: 'Pick. (needs exactly one of: a, or b)' },
    })
  })

  test.each<[string, unknown]>([
    ['an open object', { type: 'object' }],
    ['a circle', { $ref: '#/$defs/unused' }],
    ['a legal schema', { type: 'string' }],
    ['no schema', 5],
  ])('An unused definition is removed and does not prevent the conversion: %s.', (_name, unused) => {
    const result = strictify({
      ...object({ a: { $ref: '#/$defs/used' } }, ['a']),
      $defs: { unused, used: { type: 'string' } },
    })
    expect(result.strict).toBe(true)
    expect(result.schema).toMatchObject({ $defs: { used: { type: 'string' } } })
    expect(result.schema).not.toHaveProperty('$defs.unused')
    expect(result.diagnostics.map(one => `${one.code} ${one.path.join('/')}`)).toContain(
      'schema_definition_removed $defs/unused',
    )
  })

  test.each<[unknown, unknown]>([
    [
      { type: 'integer', default: 5, description: 'Count.' },
      { type: 'integer', description: 'Count. (default: 5)' },
    ],
    [
      { type: 'string', default: '' },
      { type: 'string', description: '(default: "")' },
    ],
    [
      { $ref: '#/$defs/d', default: null },
      { description: '(default: null)', anyOf: [{ $ref: '#/$defs/d' }] },
    ],
    [
      { type: 'array', items: { type: 'string' }, default: ['a'] },
      { type: 'array', items: { type: 'string' }, description: '(default: ["a"])' },
    ],
  ])('A default moves into the description: %j.', (schema, expected) => {
    const { out, codes } = property(schema, { $defs: { d: { type: 'null' } } })
    expect(out).toEqual(expected)
    expect(codes).toContain('strict_keyword_in_description properties/x/default')
  })

  test('The default of an optional property is described beside the null that stands for it.', () => {
    const result = strictify(object({ n: { type: 'integer', default: 5 } }))
    expect(result.schema).toMatchObject({
      properties: { n: { type: ['integer', 'null'], description: '(default: 5)' } },
    })
    expect(result.undo({ n: null })).toEqual({})
    expect(strictify(result.schema).schema).toBe(result.schema)
  })

  test('A tool without parameters becomes a closed empty object.', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false }
    expect(strictify({ type: 'object', properties: {} })).toMatchObject({ strict: true, schema: closed })
    expect(strictify({ type: 'object' })).toMatchObject({ strict: true, schema: closed })
  })
})
