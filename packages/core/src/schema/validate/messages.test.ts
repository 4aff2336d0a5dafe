import { describe, expect, test } from 'vitest'
import { createValidator, type ValidatorOptions } from './validate.ts'

function messages(schema: unknown, value: unknown, options: ValidatorOptions = {}): string[] {
  const result = createValidator(schema, options).validate(value)
  return result.ok ? [] : result.issues.map(one => one.message)
}

describe('messages', () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1 },
      unit: { enum: ['celsius', 'kelvin'] },
      user: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    required: ['unit'],
    additionalProperties: false,
  }
  test('A message names the path, the expected and the actual value.', () => {
    expect(messages(schema, { limit: 'ten', unit: 'f', user: {}, extra: 1 })).toEqual([
      '/limit must be an integer, got the string "ten"',
      '/unit must be one of: "celsius", "kelvin"; got the string "f"',
      'missing required property "name" in /user',
      '/extra is not an allowed property; allowed: limit, unit, user',
    ])
    expect(messages(schema, { limit: 0 })).toEqual([
      'missing required property "unit"',
      '/limit must be at least 1, got 0',
    ])
    expect(messages(schema, [])).toEqual(['the value must be an object, got an array'])
  })

  test('An issue has the keyword and an escaped JSON pointer.', () => {
    const result = createValidator({ properties: { 'a/b~c': { type: 'null' } } }).validate({ 'a/b~c': 1 })
    expect(result).toMatchObject({ ok: false, issues: [{ path: '/a~1b~0c', keyword: 'type' }] })
  })

  test('The issues of a union are those of the branch that was intended.', () => {
    const union = {
      anyOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, n: { type: 'number' } },
          required: ['kind', 'n'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'b' }, s: { type: 'string' } },
          required: ['kind', 's'],
        },
      ],
    }
    expect(messages(union, { kind: 'b', s: 1 })).toEqual(['/s must be a string, got the number 1'])
    expect(messages({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1)).toEqual([
      'the value must be a string or null, got the number 1',
    ])
    expect(
      messages(
        { anyOf: [{ $ref: '#/$defs/u' }, { type: 'null' }], $defs: { u: union } },
        { kind: 'a', n: '1' },
      ),
    ).toEqual(['/n must be a number, got the string "1"'])
    expect(messages({ anyOf: [{ minLength: 2 }, { pattern: 'x' }] }, 'a')).toEqual([
      'the value matches none of the 2 allowed forms (form 1: the value must have at least 2 characters, has 1; form 2: the value must match the pattern x, got the string "a")',
    ])
  })

  test('Issues are limited in number and length.', () => {
    const many = createValidator({ items: { type: 'string' } }, { maxIssues: 3 }).validate(
      Array(1000).fill(1),
    )
    expect(many.ok ? 0 : many.issues.length).toBe(3)
    const values = Array.from({ length: 1000 }, (_, index) => `value-${index}`.repeat(50))
    const [long] = messages({ enum: values }, 'x'.repeat(100_000), { maxMessageLength: 300 })
    expect(long?.length).toBe(300)
  })

  test('A validator returns the same issues on every call.', () => {
    const validator = createValidator(schema)
    const value = { limit: 'x', user: {}, b: 1, a: 2 }
    expect(validator.validate(value)).toEqual(validator.validate(value))
  })
})

describe('discriminated unions', () => {
  const branch = (kind: unknown, key: string): Record<string, unknown> => ({
    type: 'object',
    properties: { kind, [key]: { type: 'string' } },
    required: ['kind', key],
  })
  const branches = [branch({ const: 'a' }, 'x'), branch({ enum: ['b', 'c'] }, 'y')]
  const $defs = { A: branches[0], B: branches[1], tag: { const: 'a' } }

  test.each<[string, Record<string, unknown>]>([
    ['anyOf', { anyOf: branches }],
    ['oneOf', { oneOf: branches }],
    ['references', { oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }], $defs }],
    ['a referred tag', { anyOf: [branch({ $ref: '#/$defs/tag' }, 'x'), branches[1]], $defs }],
    ['null beside them', { anyOf: [...branches, { type: 'null' }] }],
  ])('A wrong discriminator is the only issue of a union: %s.', (_name, union) => {
    expect(messages(union, { kind: 'z' })).toEqual([
      '/kind must be one of: "a", "b", "c"; got the string "z"',
    ])
    expect(messages(union, { kind: 7, x: 'x' })).toEqual([
      '/kind must be one of: "a", "b", "c"; got the number 7',
    ])
    expect(messages(union, {})).toEqual([
      'missing required property "kind"; it must be one of: "a", "b", "c"',
    ])
    expect(messages(union, { kind: 'a' })).toEqual(['missing required property "x"'])
    expect(messages(union, { kind: 'c', y: 1, x: 'x' })).toEqual(['/y must be a string, got the number 1'])
    expect(messages({ items: union, $defs }, [{ kind: 'z' }, { kind: 'b' }])).toEqual([
      '/0/kind must be one of: "a", "b", "c"; got the string "z"',
      'missing required property "y" in /1',
    ])
  })

  test('The discriminator is reported even when only one issue is allowed.', () => {
    expect(messages({ anyOf: branches }, { kind: 'z' }, { maxIssues: 1 })).toEqual([
      '/kind must be one of: "a", "b", "c"; got the string "z"',
    ])
  })

  test('A property that one branch leaves open is not a discriminator.', () => {
    const open = { type: 'object', properties: { y: { type: 'string' } }, required: ['y'] }
    const [message] = messages({ anyOf: [branches[0], open, open] }, { kind: 'z' })
    expect(message).toContain('matches none of the 3 allowed forms')
  })

  test('A correct or optional discriminator adds no issue.', () => {
    const optional = branches.map(one => ({ ...one, required: [] }))
    expect(messages({ anyOf: optional }, {})).toEqual([])
    expect(messages({ anyOf: optional }, { kind: 'b', y: 1 })).toEqual([
      '/y must be a string, got the number 1',
    ])
    const version = (key: string): Record<string, unknown> => branch({ const: 1 }, key)
    expect(messages({ anyOf: [version('x'), version('y')] }, { kind: 2 })).toEqual([
      '/kind must be 1, got the number 2',
    ])
    expect(messages({ anyOf: [version('x'), version('y')] }, { kind: 1 })[0]).toContain('matches none')
  })

  test('Inherited names and cyclic references do not count as discriminators.', () => {
    const union = { anyOf: [branch({ const: 'a' }, 'x'), { $ref: '#/$defs/loop' }] }
    expect(messages({ ...union, $defs: { loop: { $ref: '#/$defs/loop' } } }, { kind: 'z' })).toEqual([])
    const odd = { properties: { constructor: { const: 1 } }, required: ['constructor'] }
    expect(messages({ anyOf: [odd, odd] }, {})).toEqual([
      'missing required property "constructor"; it must be 1',
    ])
  })
})

describe('sizes', () => {
  test.each<[unknown, unknown, string]>([
    [{ minLength: 1 }, '', 'must have at least 1 character, has 0'],
    [{ maxLength: 2 }, 'abc', 'must have at most 2 characters, has 3'],
    [{ minItems: 1 }, [], 'must have at least 1 item, has 0'],
    [{ maxItems: 0 }, [1], 'must have at most 0 items, has 1'],
    [{ prefixItems: [true], items: false }, [1, 2], 'must have at most 1 item, has 2'],
    [{ minProperties: 1 }, {}, 'must have at least 1 property, has 0'],
    [{ maxProperties: 2 }, { a: 1, b: 1, c: 1 }, 'must have at most 2 properties, has 3'],
    [{ contains: { const: 1 } }, [], 'must contain at least 1 item of the required form, has 0'],
    [{ contains: true, maxContains: 1 }, [1, 2], 'must contain at most 1 item of the required form, has 2'],
  ])('A size issue names the limit and the size: %j.', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([`the value ${message}`])
  })
})
