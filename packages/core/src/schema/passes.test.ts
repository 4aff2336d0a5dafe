import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutText } from './dialects/minify.ts'
import {
  checkStrict,
  createValidator,
  inlineRefs,
  minify,
  normalize,
  toChatDialect,
  toMessagesDialect,
} from './index.ts'
import { childrenOf, mapChildren } from './walk.ts'

const codes = (pass: { diagnostics: { code: string; path: (string | number)[] }[] }): string[] =>
  pass.diagnostics.map(one => `${one.code} ${one.path.join('/')}`)

describe('walk', () => {
  const schema = {
    properties: { items: { type: 'string' }, $ref: { type: 'number' } },
    items: [{ a: 1 }, true],
    anyOf: [{ b: 1 }],
    not: { c: 1 },
    dependencies: { x: ['y'], z: { d: 1 } },
    enum: [{ properties: {} }],
    default: { items: {} },
    allOf: { e: 1 },
  }
  test('childrenOf finds subschemas by their position and nothing else.', () => {
    expect(childrenOf(schema).map(child => child.path.join('/'))).toEqual([
      'properties/items',
      'properties/$ref',
      'items/0',
      'items/1',
      'anyOf/0',
      'not',
      'dependencies/z',
    ])
  })
  test('mapChildren keeps the key order and the input, and returns the same object when nothing changes.', () => {
    expect(mapChildren(schema, child => child)).toBe(schema)
    const marked = mapChildren(schema, (_child, path) => path.join('/'))
    expect(Object.keys(marked)).toEqual(Object.keys(schema))
    expect(marked).toMatchObject({
      properties: { items: 'properties/items' },
      items: ['items/0', 'items/1'],
      not: 'not',
    })
    expect(schema.not).toEqual({ c: 1 })
  })
  test('mapChildren keeps a key named __proto__.', () => {
    const odd = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
    expect(JSON.stringify(mapChildren(odd, () => true))).toBe('{"properties":{"__proto__":true}}')
  })
})

describe('checkStrict', () => {
  const ok = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  test('checkStrict accepts what strict mode accepts.', () => {
    const full = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        s: { type: 'string', pattern: '^a', format: 'email', minLength: 1 },
        n: { type: ['number', 'null'], minimum: 0, multipleOf: 2 },
        e: { type: 'string', enum: ['a', 'b'], description: 'x', title: 'y' },
        l: { type: 'array', items: { $ref: '#/$defs/t' }, minItems: 1 },
        u: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      },
      required: ['u', 's', 'n', 'e', 'l'],
      additionalProperties: false,
      $defs: { t: ok },
    }
    expect(checkStrict(full)).toEqual({ ok: true, diagnostics: [] })
  })
  test.each<[string, Record<string, unknown>, string]>([
    ['an optional property', { required: [] }, 'p/properties/a'],
    ['no additionalProperties', { additionalProperties: true }, 'p'],
    ['default', { properties: { a: { type: 'string', default: 'x' } } }, 'p/properties/a/default'],
    ['oneOf', { properties: { a: { type: 'string', oneOf: [] } } }, 'p/properties/a/oneOf'],
    ['a format', { properties: { a: { type: 'string', format: 'uri' } } }, 'p/properties/a/format'],
    ['look-ahead', { properties: { a: { type: 'string', pattern: '(?=a)' } } }, 'p/properties/a/pattern'],
    ['no type', { properties: { a: { enum: ['a'] } } }, 'p/properties/a'],
    ['an array without items', { properties: { a: { type: 'array' } } }, 'p/properties/a'],
    ['beside $ref', { properties: { a: { $ref: '#', description: 'x' } } }, 'p/properties/a/description'],
    ['an unresolved $ref', { properties: { a: { $ref: '#/$defs/x' } } }, 'p/properties/a/$ref'],
    ['a foreign $ref', { properties: { a: { $ref: '#/properties/a' } } }, 'p/properties/a/$ref'],
    ['inside a definition', { $defs: { d: { type: 'string', default: 1 } } }, 'p/$defs/d/default'],
    ['root type', { type: ['object'] }, 'p'],
    ['a boolean schema', { properties: { a: true } }, 'p/properties/a'],
    ['an undeclared required name', { required: ['a', 'b'] }, 'p/required'],
    [
      'beside anyOf',
      { properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } } },
      'p/properties/a/type',
    ],
  ])('checkStrict reports one violation with its path: %s.', (_name, change, path) => {
    expect(codes(checkStrict({ ...ok, ...change }, { path: ['p'] }))).toEqual([`strict_violation ${path}`])
  })
})

describe('inlineRefs', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/x~1y' },
      b: { $ref: '#/$defs/x~1y', description: 'mine' },
      c: { $ref: '#anchored' },
      tree: { $ref: '#/$defs/tree' },
      far: { $ref: 'https://x.y/z' },
    },
    $defs: {
      'x/y': { type: 'string', minLength: 2 },
      anchored: { $anchor: 'anchored', type: 'array', items: { $ref: '#/$defs/x~1y' } },
      tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
      unused: { type: 'null' },
    },
  }
  const result = inlineRefs(schema)
  test('inlineRefs replaces local references and keeps cyclic and remote ones.', () => {
    expect(result.schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 2 },
        b: { type: 'string', minLength: 2, description: 'mine' },
        c: { type: 'array', items: { type: 'string', minLength: 2 } },
        tree: { $ref: '#/$defs/tree' },
        far: { $ref: 'https://x.y/z' },
      },
      $defs: { tree: schema.$defs.tree },
    })
    expect(result.complete).toBe(false)
    expect(codes(result)).toEqual([
      'schema_ref_cycle properties/tree/$ref',
      'schema_ref_unresolved properties/far/$ref',
      'schema_ref_cycle $defs/tree/properties/kids/items/$ref',
      'schema_definition_removed $defs/unused',
    ])
  })
  test('inlineRefs keeps the siblings of a reference in force.', () => {
    const original = {
      properties: {
        a: { $ref: '#/$defs/o', properties: { q: { type: 'string' } } },
        b: { $ref: '#/$defs/o', required: ['p'] },
      },
      $defs: { o: { properties: { p: { type: 'number' } }, additionalProperties: false } },
    }
    const out = inlineRefs(original)
    expect(out.complete).toBe(true)
    for (const value of [{ a: { q: 'x' } }, { a: {} }, { a: { p: 'x' } }, { b: {} }, { b: { p: 1 } }]) {
      expect(createValidator(out.schema).validate(value).ok).toBe(
        createValidator(original).validate(value).ok,
      )
    }
  })
  test('inlineRefs returns a schema that would expand without end unchanged.', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `d${index}`,
        { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    )
    const bomb = { $ref: '#/$defs/d0', $defs: { ...$defs, d30: { type: 'string' } } }
    const out = inlineRefs(bomb)
    expect(out.schema).toBe(bomb)
    expect(codes(out)).toEqual(['schema_expansion_limit '])
  })
  test.each<unknown>([
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  ])('inlineRefs terminates on a cycle of nothing but references: %j.', schema => {
    expect(codes(inlineRefs(schema)).every(code => code.startsWith('schema_ref_cycle'))).toBe(true)
  })
})

describe('minify', () => {
  const schema = {
    $schema: 'x',
    title: 'Root',
    description: 'The quick brown fox jumps over the lazy dog.',
    properties: {
      user_name: { title: 'User Name', $comment: 'c', type: 'string', examples: ['a'] },
      title: { title: 'Other', $ref: '#/$defs/a/properties/in' },
    },
    $defs: { a: { properties: { in: { $ref: '#/$defs/b' } } }, b: {}, c: { $ref: '#/$defs/d' }, d: {} },
  }
  test('minify removes what neither models nor validators need, and reports it.', () => {
    const out = minify(schema)
    expect(out.schema).toEqual({
      title: 'Root',
      description: schema.description,
      properties: {
        user_name: { type: 'string', examples: ['a'] },
        title: { title: 'Other', $ref: '#/$defs/a/properties/in' },
      },
      $defs: { a: schema.$defs.a, b: {} },
    })
    expect(codes(out)).toEqual([
      'schema_annotation_removed $schema',
      'schema_definition_removed $defs/c',
      'schema_definition_removed $defs/d',
      'schema_annotation_removed properties/user_name/$comment',
      'schema_annotation_removed properties/user_name/title',
    ])
  })
  test('minify changes descriptions, titles and examples only on request.', () => {
    const short = minify(schema, {
      descriptions: 'shorten',
      maxDescription: 20,
      titles: 'remove',
      examples: 'remove',
    })
    expect(short.schema).toMatchObject({ description: 'The quick brown fox…' })
    expect(JSON.stringify(short.schema)).not.toMatch(/"examples"|"Other"|"Root"/)
    expect(codes(short)).toContain('schema_description_shortened description')
    expect(minify(schema, { descriptions: 'remove' }).schema).not.toHaveProperty('description')
  })
  test('cutText cuts at a word and never exceeds the limit.', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 2, max: 30 }),
        (text, max) => {
          const cut = cutText(text, max)
          expect(cut.length).toBeLessThanOrEqual(max)
          expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true)
        },
      ),
    )
  })
})

describe('toMessagesDialect', () => {
  test('toMessagesDialect closes objects, keeps optional properties and describes ranges in the description.', () => {
    const out = toMessagesDialect({
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 1, description: 'Count.', default: 3 },
        l: { type: 'array', items: { type: 'string', format: 'uri' }, minItems: 1 },
        m: { type: 'array', items: { type: 'string', pattern: '^a' }, minItems: 2 },
        o: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['n'],
    })
    expect(out.strict).toBe(true)
    expect(out.schema).toEqual({
      type: 'object',
      properties: {
        n: { type: 'integer', description: 'Count. (minimum: 1)', default: 3 },
        l: { type: 'array', items: { type: 'string', format: 'uri' }, minItems: 1 },
        m: {
          type: 'array',
          items: { type: 'string', description: '(pattern: ^a)' },
          description: '(minItems: 2)',
        },
        o: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['n'],
      additionalProperties: false,
    })
    const args = { n: 1, o: null }
    expect(out.undo(args)).toBe(args)
  })
  test('toMessagesDialect refuses recursion.', () => {
    const tree = { type: 'object', properties: { kid: { $ref: '#' } }, additionalProperties: false }
    expect(toMessagesDialect(tree)).toMatchObject({ strict: false, schema: tree })
  })
})

describe('toChatDialect', () => {
  test('toChatDialect keeps seven keywords and reports the others with their paths.', () => {
    const out = toChatDialect(
      {
        type: 'object',
        properties: {
          a: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }], default: null },
          b: { $ref: '#/$defs/b' },
          pattern: { const: 1 },
          u: { anyOf: [{ type: 'string' }, { type: 'number' }], description: 'either' },
          m: { type: 'object', additionalProperties: { type: 'string', format: 'uri' } },
        },
        required: ['a'],
        $defs: { b: { type: 'array', items: { enum: [1] }, uniqueItems: true } },
      },
      { path: ['p'] },
    )
    expect(out.schema).toEqual({
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'array', items: { enum: [1] } },
        pattern: { enum: [1] },
        u: { description: 'either' },
        m: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['a'],
    })
    expect(codes(out)).toEqual([
      'schema_rewritten p/properties/a/anyOf',
      'schema_keyword_removed p/properties/a/maxLength',
      'schema_keyword_removed p/properties/a/default',
      'schema_keyword_removed p/$defs/b/uniqueItems',
      'schema_rewritten p/properties/pattern/const',
      'schema_keyword_removed p/properties/u/anyOf',
      'schema_keyword_removed p/properties/m/additionalProperties/format',
    ])
  })
})

describe('every pass', () => {
  const passes = { inlineRefs, minify, normalize, toChatDialect, toMessagesDialect }
  test.each(Object.entries(passes))(
    '%s returns a schema that is too deep unchanged, and never modifies its input.',
    (_name, pass) => {
      for (const depth of [10_000, 1_000_000]) {
        let deep: unknown = {}
        for (let level = 0; level < depth; level++) deep = { not: deep }
        const out = pass(deep, { path: ['here'] })
        expect(out.schema).toBe(deep)
        expect(out.diagnostics).toMatchObject([{ code: 'schema_too_deep', path: ['here'] }])
      }
      fc.assert(
        fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
          const schema = {
            type: a,
            properties: { x: b, __proto__: a },
            $ref: '#/properties/x',
            anyOf: [a, b],
            $defs: { a },
            items: b,
          }
          const before = JSON.stringify(schema)
          pass(schema)
          pass(a)
          expect(JSON.stringify(schema)).toBe(before)
        }),
      )
    },
  )
})
