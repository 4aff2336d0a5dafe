import { describe, expect, test } from 'vitest'
import { checkStrict } from './check-strict.ts'
import { strictify } from './strictify.ts'

/** What is not listed as required is optional. */
const object = (properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
})

describe('refusals', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? { type: 'string' } : object({ a: deep(levels - 1) }, ['a'])
  test.each<[string, unknown, string]>([
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
  ])('strictify refuses a property and returns the schema unchanged: %s.', (_name, schema, code) => {
    const given = object({ x: schema, y: { type: 'string', default: 1 } })
    const result = strictify(given)
    expect(result.strict).toBe(false)
    expect(result.schema).toBe(given)
    expect(result.undo(null)).toBe(null)
    expect(result.diagnostics.map(one => `${one.code} ${one.path.join('/')}`)).toEqual([code])
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a string root', { type: 'string' }],
    ['a nullable root', { type: ['object', 'null'], properties: {} }],
    ['a root union', { anyOf: [object({}), object({})] }],
    ['nothing', {}],
  ])('strictify refuses a root that is not an object: %s.', (_name, schema) => {
    const result = strictify(schema)
    expect(result).toMatchObject({ strict: false, diagnostics: [{ code: 'strict_root_not_object' }] })
    expect(result.schema).toBe(schema)
  })

  test('strictify reports every reason, not only the first.', () => {
    const result = strictify(object({ a: {}, b: { type: 'object' }, c: { type: 'array' } }))
    expect(result.diagnostics.map(one => one.code)).toEqual([
      'strict_untyped',
      'strict_open_object',
      'strict_unbounded_array',
    ])
  })

  test.each<[string, unknown, unknown]>([
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
  ])('strictify applies the limit on %s exactly.', (_name, within, beyond) => {
    expect(strictify(within).strict).toBe(true)
    expect(strictify(beyond)).toMatchObject({
      strict: false,
      diagnostics: [{ code: 'strict_limit_exceeded' }],
    })
  })
})

describe('limits', () => {
  const nest = (depth: number): unknown => {
    let schema: unknown = { type: 'string' }
    for (let level = 0; level < depth; level++) schema = { type: 'array', items: schema }
    return schema
  }
  test.each([10_000, 1_000_000])('strictify and checkStrict refuse a schema with %d levels.', depth => {
    const schema = object({ x: nest(depth) })
    const result = strictify(schema)
    expect(result.schema).toBe(schema)
    expect(result.diagnostics.map(one => one.code)).toEqual(['schema_too_deep'])
    expect(checkStrict(schema)).toMatchObject({ ok: false, diagnostics: [{ code: 'schema_too_deep' }] })
  })

  test('strictify refuses definitions that expand without end.', () => {
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

  test('strictify handles a long chain of definitions.', () => {
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

  test('undo accepts arguments of any depth and visits each value a limited number of times.', () => {
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

  test('Keys with names of prototype members stay data.', () => {
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
