import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStrict } from './check-strict.ts'
import { strictify } from './strictify.ts'
import { createValidator } from './validate.ts'

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
  it('optional becomes required and nullable, nested objects are closed', () => {
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

  it.each<[string, unknown, unknown]>([
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
  ])('optional %s', (_name, schema, expected) => {
    const result = strictify({ ...object({ x: schema }), $defs: { s: { type: 'string' } } })
    expect(result.schema).toMatchObject({ properties: { x: expected }, required: ['x'] })
  })

  it.each<[string, unknown]>([
    ['type list', { type: ['string', 'null'] }],
    ['enum', { enum: ['a', null] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['$ref', { $ref: '#/$defs/n' }],
    ['nullable', { type: 'string', nullable: true }],
    ['hoisted $ref', { $ref: '#/properties/other/properties/n' }],
  ])('a null that was legal before stays: %s', (_name, schema) => {
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

  it('drops defaults and tells other keywords in the description', () => {
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
      items: { type: 'string', minLength: 1, description: '(format: uri) (pattern: ^(?=a))' },
    })
    expect(codes).toEqual([
      'strict_keyword_in_description properties/x/items/format',
      'strict_keyword_removed properties/x/items/default',
      'strict_keyword_in_description properties/x/items/pattern',
      'strict_keyword_in_description properties/x/uniqueItems',
      'strict_keyword_removed properties/x/x-order',
    ])
  })

  it('a discriminated oneOf becomes anyOf, through references', () => {
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

  it.each<[string, unknown, boolean]>([
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
  ])('oneOf with %s', (_name, schema, expected) => {
    const result = property(schema)
    expect(result.strict).toBe(expected)
    if (!expected) expect(result.codes).toEqual(['strict_union_not_exclusive properties/x/oneOf'])
  })

  it('merges allOf where that is exact', () => {
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

  it.each<[string, unknown]>([
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
  ])('refuses allOf with %s', (_name, schema) => {
    const result = property(schema, {
      $defs: { loop: { allOf: [{ $ref: '#/$defs/loop' }, { type: 'object' }] } },
    })
    expect(result.strict).toBe(false)
    expect(result.codes.some(code => code.startsWith('strict_all_of_not_mergeable'))).toBe(true)
  })

  it('keeps recursion, and undoes nulls at every level of it', () => {
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

  it('turns anchors, foreign pointers and nested definitions into plain definitions', () => {
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
        s: { type: 'null' },
        q: { type: 'number' },
        s_2: { type: 'string', minLength: 2 },
        inner: { type: 'boolean' },
      },
    })
  })

  it('rules about which names are present are told in the description', () => {
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

  it('a definition that nothing uses does not stand in the way', () => {
    const result = strictify({
      ...object({ a: { type: 'string' } }, ['a']),
      $defs: { open: { type: 'object' } },
    })
    expect(result.strict).toBe(true)
    expect(result.schema).not.toHaveProperty('$defs')
    expect(result.diagnostics.map(one => one.code)).toContain('schema_definition_removed')
  })

  it('a tool without parameters', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false }
    expect(strictify({ type: 'object', properties: {} })).toMatchObject({ strict: true, schema: closed })
    expect(strictify({ type: 'object' })).toMatchObject({ strict: true, schema: closed })
  })
})

describe('what is refused comes back untouched, with the reason and the place', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? { type: 'string' } : object({ a: deep(levels - 1) }, ['a'])
  it.each<[string, unknown, string]>([
    [
      'free keys',
      { type: 'object', additionalProperties: true },
      'strict_open_object properties/x/additionalProperties',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      'strict_open_object properties/x/additionalProperties',
    ],
    ['an object without properties', { type: 'object' }, 'strict_open_object properties/x'],
    ['an empty schema', {}, 'strict_untyped properties/x'],
    ['true', true, 'strict_untyped properties/x'],
    ['not', { type: 'string', not: { const: 'a' } }, 'strict_unsupported_keyword properties/x/not'],
    ['if', { type: 'string', if: {} }, 'strict_unsupported_keyword properties/x/if'],
    ['a remote reference', { $ref: 'https://a.b/c' }, 'strict_ref_unresolved properties/x/$ref'],
    ['a missing definition', { $ref: '#/$defs/none' }, 'strict_ref_unresolved properties/x/$ref'],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } },
      'strict_unsupported_keyword properties/x/prefixItems',
    ],
    [
      'an old tuple',
      { type: 'array', items: [{ type: 'string' }] },
      'strict_unsupported_keyword properties/x/items',
    ],
    ['an array without items', { type: 'array' }, 'strict_unbounded_array properties/x'],
    [
      'patternProperties',
      { ...object({ a: { type: 'string' } }), patternProperties: { '^x': {} } },
      'strict_unsupported_keyword properties/x/patternProperties',
    ],
    [
      'an undeclared required name',
      object({ a: { type: 'string' } }, ['a', 'b']),
      'strict_undeclared_required properties/x/required',
    ],
    ['an object in enum', { enum: [{ a: 1 }] }, 'strict_unsupported_keyword properties/x/enum'],
    ['an unknown type', { type: 'any' }, 'strict_untyped properties/x'],
    [
      'dependentSchemas',
      { ...object({ a: { type: 'string' } }), dependentSchemas: { a: {} } },
      'strict_unsupported_keyword properties/x/dependentSchemas',
    ],
  ])('%s', (_name, schema, code) => {
    const given = object({ x: schema, y: { type: 'string', default: 1 } })
    const result = strictify(given)
    expect(result.strict).toBe(false)
    expect(result.schema).toBe(given)
    expect(result.undo(null)).toBe(null)
    expect(result.diagnostics.map(one => `${one.code} ${one.path.join('/')}`)).toEqual([code])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a string root', { type: 'string' }],
    ['a nullable root', { type: ['object', 'null'], properties: {} }],
    ['a root union', { anyOf: [object({}), object({})] }],
    ['nothing', {}],
  ])('root: %s', (_name, schema) => {
    const result = strictify(schema)
    expect(result).toMatchObject({ strict: false, diagnostics: [{ code: 'strict_root_not_object' }] })
    expect(result.schema).toBe(schema)
  })

  it('every reason is given, not only the first', () => {
    const result = strictify(object({ a: {}, b: { type: 'object' }, c: { type: 'array' } }))
    expect(result.diagnostics.map(one => one.code)).toEqual([
      'strict_untyped',
      'strict_open_object',
      'strict_unbounded_array',
    ])
  })

  it.each<[string, unknown, unknown]>([
    ['levels', deep(10), deep(11)],
    [
      'properties',
      object(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: 'string' }]))),
      object(Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`p${i}`, { type: 'string' }]))),
    ],
    [
      'enum values',
      object({ a: { enum: Array.from({ length: 999 }, (_, i) => `v${i}`) } }),
      object({ a: { enum: Array.from({ length: 1001 }, (_, i) => `v${i}`) } }),
    ],
    [
      'characters of one large enum',
      object({ a: { enum: Array.from({ length: 251 }, (_, i) => `${i}`.padStart(50, 'x')) } }),
      object({ a: { enum: Array.from({ length: 251 }, (_, i) => `${i}`.padStart(60, 'x')) } }),
    ],
    [
      'characters',
      object({ ['k'.repeat(119_000)]: { type: 'string' } }),
      object({ ['k'.repeat(120_001)]: { type: 'string' } }),
    ],
  ])('limit of %s', (_name, within, beyond) => {
    expect(strictify(within).strict).toBe(true)
    expect(strictify(beyond)).toMatchObject({
      strict: false,
      diagnostics: [{ code: 'strict_limit_exceeded' }],
    })
  })
})

describe('bounds', () => {
  const nest = (depth: number): unknown => {
    let schema: unknown = { type: 'string' }
    for (let level = 0; level < depth; level++) schema = { type: 'array', items: schema }
    return schema
  }
  it.each([10_000, 1_000_000])('a schema nested %d levels deep', depth => {
    const schema = object({ x: nest(depth) })
    const result = strictify(schema)
    expect(result.schema).toBe(schema)
    expect(result.diagnostics.map(one => one.code)).toEqual(['schema_too_deep'])
    expect(checkStrict(schema)).toMatchObject({ ok: false, diagnostics: [{ code: 'schema_too_deep' }] })
  })

  it('definitions that unfold without end', () => {
    const twice = (name: string): unknown =>
      object({ a: { $ref: name, minProperties: 0 }, b: { $ref: name, minProperties: 0 } })
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`d${index}`, twice(`#/$defs/d${index + 1}`)]),
    )
    const bomb = {
      ...object({ x: { $ref: '#/$defs/d0', minProperties: 0 } }),
      $defs: { ...$defs, d40: { type: 'string' } },
    }
    expect(strictify(bomb).strict).toBe(false)
    const self = {
      ...object({ x: { $ref: '#/$defs/s', minProperties: 0 } }),
      $defs: { s: object({ y: { $ref: '#/$defs/s', minProperties: 0 } }) },
    }
    expect(strictify(self).strict).toBe(false)
  })

  it('a long chain of definitions', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    )
    expect(() =>
      strictify({
        ...object({ x: { $ref: '#/$defs/d0' } }),
        $defs: { ...$defs, d20000: { type: 'string' } },
      }),
    ).not.toThrow()
  })

  it('undo takes arguments of any depth and visits each value a bounded number of times', () => {
    const list = strictify({
      ...object({ next: { $ref: '#/$defs/n' } }),
      $defs: {
        n: {
          anyOf: [
            object({ k: { const: 1 }, next: { $ref: '#/$defs/n' } }, ['k']),
            object({ k: { const: 2 }, next: { $ref: '#/$defs/n' } }, ['k']),
          ],
        },
      },
    })
    expect(list.strict).toBe(true)
    const chain = (depth: number): { args: unknown; reads: () => number } => {
      let reads = 0
      const counted = (of: object): (string | symbol)[] => {
        reads++
        return Reflect.ownKeys(of)
      }
      let args: unknown = null
      for (let level = 0; level < depth; level++) {
        const target = { k: (level % 2) + 1, next: args }
        args = new Proxy(target, { ownKeys: counted })
      }
      return { args: { next: args }, reads: () => reads }
    }
    const [short, long] = [chain(50), chain(200)]
    list.undo(short.args)
    list.undo(long.args)
    expect(long.reads()).toBeLessThan(short.reads() * 5)
    expect(() => list.undo(chain(100_000).args)).not.toThrow()
  })

  it('keys that look like prototype members stay data', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"object","properties":{"__proto__":{"type":"number"}}}}}',
    )
    const result = strictify(schema)
    expect(result.strict).toBe(true)
    expect(JSON.stringify(result.schema)).toContain('"__proto__":{"type":["string","null"]}')
    const args = JSON.parse('{"__proto__":null,"constructor":null,"toString":{"__proto__":null}}')
    expect(JSON.stringify(result.undo(args))).toBe('{"toString":{}}')
    const kept = JSON.parse('{"__proto__":"a","constructor":null}')
    expect(JSON.stringify(result.undo(kept))).toBe('{"__proto__":"a"}')
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })
})

/** A shape from which a schema and pairs of (value, value with nulls filled in) can be drawn. */
type Shape =
  | { kind: 'leaf'; schema: unknown; values: unknown[] }
  | { kind: 'object'; fields: [string, Shape, boolean][]; tag?: string }
  | { kind: 'array'; items: Shape }
  | { kind: 'union'; keyword: 'anyOf' | 'oneOf'; options: Shape[] }
  | { kind: 'defined'; name: string }
  | { kind: 'allOf'; left: Shape; right: Shape }

const node: Shape = {
  kind: 'object',
  fields: [
    ['v', { kind: 'leaf', schema: { type: 'integer', default: 3 }, values: [1, 2] }, true],
    ['next', { kind: 'defined', name: 'node' }, true],
  ],
}
const definitions: Record<string, Shape> = {
  node,
  text: { kind: 'leaf', schema: { type: 'string' }, values: ['', 'x'] },
  maybe: { kind: 'leaf', schema: { type: ['string', 'null'] }, values: [null, 'x'] },
}

const leaf: fc.Arbitrary<Shape> = fc.constantFrom<Shape[]>(
  { kind: 'leaf', schema: { type: 'string', uniqueItems: true }, values: ['', 'a'] },
  { kind: 'leaf', schema: { type: ['number', 'null'] }, values: [1, null] },
  { kind: 'leaf', schema: { enum: ['a', 2, null] }, values: ['a', 2, null] },
  { kind: 'leaf', schema: { const: 'only' }, values: ['only'] },
  { kind: 'leaf', schema: { type: 'boolean', nullable: true }, values: [true, null] },
  { kind: 'defined', name: 'node' },
  { kind: 'defined', name: 'text' },
  { kind: 'defined', name: 'maybe' },
)
const key = fc.constantFrom('a', 'b', 'c', 'toString', '__proto__', 'k~/%')
const shapes = fc.letrec<{ any: Shape; object: Shape }>(tie => ({
  object: fc
    .uniqueArray(fc.tuple(key, tie('any'), fc.boolean()), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 4,
    })
    .map(fields => ({ kind: 'object', fields })),
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('object'),
    tie('any').map((items): Shape => ({ kind: 'array', items })),
    fc
      .tuple(
        fc.constantFrom('anyOf' as const, 'oneOf' as const),
        fc.array(tie('object'), { minLength: 2, maxLength: 3 }),
      )
      .map(
        ([keyword, options]): Shape => ({
          kind: 'union',
          keyword,
          options: options.map((option, index) =>
            option.kind === 'object' ? { ...option, tag: `t${index}` } : option,
          ),
        }),
      ),
  ),
}))

function schemaOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'leaf':
      return shape.schema
    case 'defined':
      return { $ref: `#/$defs/${shape.name}` }
    case 'array':
      return { type: 'array', items: schemaOf(shape.items) }
    case 'union':
      return { [shape.keyword]: shape.options.map(schemaOf) }
    case 'allOf':
      return { allOf: [schemaOf(shape.left), schemaOf(shape.right)] }
    case 'object': {
      const tag: [string, unknown][] = shape.tag === undefined ? [] : [['kind', { const: shape.tag }]]
      return {
        type: 'object',
        properties: Object.fromEntries([
          ...tag,
          ...shape.fields.map(([name, field]) => [name, schemaOf(field)]),
        ]),
        required: [
          ...tag.map(([name]) => name),
          ...shape.fields.filter(([, , optional]) => !optional).map(([name]) => name),
        ],
      }
    }
  }
}

function acceptsNull(shape: Shape): boolean {
  if (shape.kind === 'leaf') return shape.values.includes(null)
  return shape.kind === 'defined' && acceptsNull(definitions[shape.name] ?? node)
}

/** `draw` decides everything, so that one list of numbers stands for one value. */
function valuesOf(shape: Shape, draw: () => number, depth = 0): { plain: unknown; filled: unknown } {
  switch (shape.kind) {
    case 'leaf': {
      const value = shape.values[draw() % shape.values.length]
      return { plain: value, filled: value }
    }
    case 'defined':
      return valuesOf(definitions[shape.name] ?? node, draw, depth)
    case 'array': {
      const items = Array.from({ length: draw() % 3 }, () => valuesOf(shape.items, draw, depth + 1))
      return { plain: items.map(item => item.plain), filled: items.map(item => item.filled) }
    }
    case 'union':
      return valuesOf(shape.options[draw() % shape.options.length] ?? node, draw, depth)
    case 'allOf':
      return valuesOf(shape.left, draw, depth)
    case 'object': {
      const plain: [string, unknown][] = shape.tag === undefined ? [] : [['kind', shape.tag]]
      const filled = [...plain]
      for (const [name, field, optional] of shape.fields) {
        const absent = optional && (depth > 6 || draw() % 2 === 0) && !acceptsNull(field)
        const value = absent ? { plain: undefined, filled: null } : valuesOf(field, draw, depth + 1)
        if (!absent) plain.push([name, value.plain])
        filled.push([name, value.filled])
      }
      return { plain: Object.fromEntries(plain), filled: Object.fromEntries(filled) }
    }
  }
}

const draws = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 30 })
const reader = (numbers: number[]): (() => number) => {
  let at = 0
  return () => numbers[at++ % numbers.length] ?? 0
}
const document = (shape: Shape): Record<string, unknown> => ({
  ...(schemaOf(shape) as Record<string, unknown>),
  $defs: Object.fromEntries(Object.entries(definitions).map(([name, member]) => [name, schemaOf(member)])),
})

describe('laws', () => {
  it('filling absent optionals with null satisfies the strict schema, and undo gives the value back', () => {
    fc.assert(
      fc.property(shapes.object, draws, (shape, numbers) => {
        const schema = document(shape)
        const before = JSON.stringify(schema)
        const result = strictify(schema)
        expect(JSON.stringify(schema)).toBe(before)
        // Only the depth limit may stand in the way of these shapes.
        if (!result.strict) {
          expect(result.diagnostics.map(one => one.code)).toEqual(['strict_limit_exceeded'])
          return
        }
        expect(checkStrict(result.schema)).toEqual({ ok: true, diagnostics: [] })
        expect(strictify(result.schema).schema).toBe(result.schema)
        const { plain, filled } = valuesOf(shape, reader(numbers))
        expect(createValidator(schema).validate(plain)).toEqual({ ok: true })
        expect(createValidator(result.schema).validate(filled)).toEqual({ ok: true })
        expect(JSON.stringify(result.undo(filled))).toBe(JSON.stringify(plain))
        expect(result.undo(plain)).toBe(plain)
      }),
      { numRuns: 200 },
    )
  })

  const onlyNullsGone = (before: unknown, after: unknown): boolean => {
    if (before === after) return true
    if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
      return false
    if (Array.isArray(before) || Array.isArray(after)) {
      return (
        Array.isArray(before) &&
        Array.isArray(after) &&
        before.length === after.length &&
        before.every((item, index) => onlyNullsGone(item, after[index]))
      )
    }
    const kept = new Map(Object.entries(after))
    return (
      Object.entries(before).every(([name, value]) =>
        kept.has(name) ? onlyNullsGone(value, kept.get(name)) : value === null,
      ) && [...kept.keys()].every(name => Object.hasOwn(before, name))
    )
  }

  it('whatever the arguments, undo only takes nulls of declared optional properties away', () => {
    const value = fc.letrec(tie => ({
      node: fc.oneof(
        fc.constantFrom(null, null, 'a', 1, 't0', 't1'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(key, fc.constantFrom('kind', 'v', 'next')), tie('node'), { maxKeys: 4 }),
      ),
    })).node
    fc.assert(
      fc.property(shapes.object, value, (shape, args) => {
        const result = strictify(document(shape))
        const before = JSON.stringify(args)
        const after = result.undo(args)
        expect(JSON.stringify(args)).toBe(before)
        expect(onlyNullsGone(args, after)).toBe(true)
        const names = JSON.stringify(result.schema)
        if (!names.includes('"null"')) expect(after).toBe(args)
      }),
      { numRuns: 200 },
    )
  })

  it('never throws and never changes its input, whatever the schema', () => {
    const keywords = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      '$ref',
      'required',
      'enum',
      'const',
      'pattern',
      'nullable',
      '$defs',
      'definitions',
      'additionalProperties',
      '__proto__',
      '$id',
      '$anchor',
      'description',
    )
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('#', '#/$defs/a', '#/properties/a', 'string', 'object', 'array', true),
    )
    const schema = fc.letrec(tie => ({
      node: fc.dictionary(
        keywords,
        fc.oneof(
          { maxDepth: 3 },
          odd,
          tie('node'),
          fc.array(tie('node'), { maxLength: 2 }),
          fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('node'), { maxKeys: 2 }),
        ),
        { maxKeys: 4 },
      ),
    })).node
    fc.assert(
      fc.property(schema, fc.jsonValue(), (given, args) => {
        const before = JSON.stringify(given)
        const result = strictify(given)
        result.undo(args)
        if (result.strict) expect(checkStrict(result.schema).ok).toBe(true)
        else expect(result.schema).toBe(given)
        expect(JSON.stringify(given)).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })
})
