import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createValidator, type ValidatorOptions } from './validate.ts'

function check(schema: unknown, value: unknown, options: ValidatorOptions = {}): boolean {
  return createValidator(schema, options).validate(value).ok
}

function messages(schema: unknown, value: unknown, options: ValidatorOptions = {}): string[] {
  const result = createValidator(schema, options).validate(value)
  return result.ok ? [] : result.issues.map(one => one.message)
}

function codes(schema: unknown): string[] {
  return createValidator(schema).diagnostics.map(one => `${one.code} ${one.path.join('/')}`)
}

function nest(depth: number, leaf: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = leaf
  for (let level = 0; level < depth; level++) value = wrap(value)
  return value
}

describe('hostile input', () => {
  test('Inherited members do not count as properties.', () => {
    expect(messages({ required: ['toString', 'constructor', '__proto__'] }, {})).toHaveLength(3)
    expect(check({ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'))).toBe(true)
    expect(check({ properties: { toString: { type: 'string' } } }, {})).toBe(true)
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}')
    expect(check(schema, JSON.parse('{"__proto__":"a"}'))).toBe(true)
    expect(check(schema, JSON.parse('{"__proto__":1}'))).toBe(false)
    expect(check({ additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toBe(false)
    expect(check({ $ref: '#/constructor' }, 1)).toBe(true)
    expect(codes({ $ref: '#/constructor' })).toEqual(['schema_not_checkable $ref'])
  })

  test('A part of the schema that cannot be checked is reported, never thrown, and refuses no value.', () => {
    const schema = {
      properties: {
        a: { $ref: 'https://example.com/remote.json' },
        b: { $ref: '#/$defs/missing' },
        c: { $ref: 'file:///etc/passwd' },
        d: { type: 'any' },
        e: { pattern: '(' },
        f: { pattern: '(?=x)' },
        g: { $dynamicRef: '#x' },
        h: { minimum: '5', enum: 'a', properties: [], required: 'x', anyOf: {}, items: 'x' },
        i: 'nonsense',
        j: { patternProperties: { '(?!a)': true }, additionalProperties: false },
        k: { type: { a: 1 } },
      },
    }
    const values = Object.fromEntries('abcdefghijk'.split('').map(key => [key, key === 'j' ? { z: 1 } : 'x']))
    expect(messages(schema, values)).toEqual([])
    expect(codes(schema).sort()).toEqual(
      [
        'pattern_invalid properties/e/pattern',
        'pattern_not_checked properties/f/pattern',
        'pattern_not_checked properties/j/patternProperties/(?!a)',
        'schema_keyword_invalid properties/h/anyOf',
        'schema_keyword_invalid properties/h/enum',
        'schema_keyword_invalid properties/h/items',
        'schema_keyword_invalid properties/h/minimum',
        'schema_keyword_invalid properties/h/properties',
        'schema_keyword_invalid properties/h/required',
        'schema_keyword_invalid properties/i',
        'schema_not_checkable properties/a/$ref',
        'schema_not_checkable properties/b/$ref',
        'schema_not_checkable properties/c/$ref',
        'schema_not_checkable properties/g/$dynamicRef',
        'schema_normalized properties/d/type',
        'schema_type_unknown properties/k/type',
      ].sort(),
    )
  })

  test.each([null, 5, 'x', [], undefined])('The validator reports that %s is not a schema.', schema => {
    expect(createValidator(schema).validate({}).ok).toBe(true)
    expect(codes(schema)).toEqual(['schema_not_checkable '])
  })

  test('Cyclic references are reported.', () => {
    expect(codes({ $ref: '#' })).toEqual(['schema_not_checkable $ref'])
    const circle = {
      $ref: '#/$defs/a',
      $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
    }
    expect(codes(circle)).toHaveLength(1)
    expect(check(circle, 1)).toBe(true)
    const fromInside = {
      properties: { x: { $ref: '#/$defs/a/anyOf/0' } },
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } },
    }
    expect(codes(fromInside)).toHaveLength(1)
    expect(check(fromInside, { x: 1 })).toBe(true)
  })

  test('A long chain of references does not overflow the stack at compile time.', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `d${index}`,
        { properties: { x: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
    )
    const validator = createValidator({ $ref: '#/$defs/d0', $defs: { ...$defs, d20000: false } })
    expect(validator.validate({ x: {} }).ok).toBe(true)
  })

  test('A value that is too complex to check is refused with an issue, also under `not`.', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    )
    const bomb = { $defs: { ...$defs, d40: {} }, $ref: '#/$defs/d0' }
    expect(messages(bomb, 1)[0]).toContain('too complex')
    expect(
      messages(
        { ...bomb, $ref: '#/$defs/not', $defs: { ...bomb.$defs, not: { not: { $ref: '#/$defs/d0' } } } },
        1,
      )[0],
    ).toContain('too complex')
  })

  test.each([10_000, 1_000_000])('The validator refuses a value with %d levels.', depth => {
    const deepSchema = nest(depth, {}, inner => ({ items: inner }))
    expect(createValidator(deepSchema).diagnostics.map(one => one.code)).toEqual(['schema_too_deep'])
    const deepValue = nest(depth, 1, inner => [inner])
    expect(messages({ $defs: {}, items: { $ref: '#' } }, deepValue)).toEqual([
      'the value is nested deeper than 256 levels',
    ])
    expect(check({ enum: [deepValue] }, 1)).toBe(true)
  })

  test('A recursive schema works up to the maximum depth of values.', () => {
    const tree = {
      $defs: {
        t: { anyOf: [{ type: 'null' }, { allOf: [{ type: 'array', items: { $ref: '#/$defs/t' } }] }] },
      },
      $ref: '#/$defs/t',
    }
    expect(
      messages(
        tree,
        nest(250, null, inner => [inner]),
      ),
    ).toEqual([])
    expect(
      check(
        tree,
        nest(250, 1, inner => [inner]),
      ),
    ).toBe(false)
  })

  test('No pattern can block the process.', () => {
    const text = `${'a'.repeat(100_000)}!`
    expect(check({ pattern: '^(a+)+$' }, text)).toBe(false)
    expect(check({ patternProperties: { '^(a|a)*$': false } }, { [text]: 1 })).toBe(true)
  })

  test('The validator never throws, whatever the schema and the value.', () => {
    const keywords = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'not',
      '$ref',
      'required',
      'enum',
      'pattern',
      'minimum',
      'nullable',
      '$defs',
      'dependencies',
      '__proto__',
      'unevaluatedProperties',
      '$id',
      '$anchor',
    )
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('#', '#/$defs/a', 'string', 'any', true))
    const schema = fc.letrec(tie => ({
      node: fc.dictionary(
        keywords,
        fc.oneof({ maxDepth: 4 }, odd, tie('node'), fc.array(tie('node'), { maxLength: 3 })),
        {
          maxKeys: 4,
        },
      ),
    })).node
    fc.assert(
      fc.property(schema, fc.jsonValue(), (given, value) => {
        const before = JSON.stringify(given)
        createValidator(given).validate(value)
        expect(JSON.stringify(given)).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })
})
