import { describe, expect, test } from 'vitest'
import { createValidator, type ValidatorOptions } from './validate.ts'

function check(schema: unknown, value: unknown, options: ValidatorOptions = {}): boolean {
  return createValidator(schema, options).validate(value).ok
}

function messages(schema: unknown, value: unknown, options: ValidatorOptions = {}): string[] {
  const result = createValidator(schema, options).validate(value)
  return result.ok ? [] : result.issues.map(one => one.message)
}

describe('keywords', () => {
  const node = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
  const cases: [string, unknown, unknown[], unknown[]][] = [
    ['type', { type: 'integer' }, [1, 1.0, -3], [1.5, '1', null, true]],
    ['type list', { type: ['string', 'null'] }, ['', null], [0, {}]],
    ['enum', { enum: [1, 'a', { b: [1] }, null] }, [1, 'a', { b: [1] }, null], [2, { b: [2] }, '1']],
    ['const', { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, 1]],
    ['const null', { const: null }, [null], [0, '']],
    ['range', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0.9, 3]],
    ['multipleOf', { multipleOf: 0.1 }, [0.3, 0.7, 1, 1000000.1], [0.35, 0.05]],
    ['multipleOf int', { multipleOf: 3 }, [9, 0, -3], [10, 1e15 + 1]],
    ['length', { minLength: 2, maxLength: 2 }, ['ab', '\u{1f600}\u{1f600}'], ['a', 'abc']],
    ['items', { items: { type: 'string' } }, [[], ['a'], 'x'], [['a', 1]]],
    ['tuple', { prefixItems: [{ type: 'string' }], items: false }, [[], ['a']], [['a', 1], [1]]],
    [
      'old tuple',
      { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      [['a', 1]],
      [['a', 'b'], [1]],
    ],
    ['item count', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    [
      'uniqueItems',
      { uniqueItems: true },
      [
        [1, '1', true],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [
      'contains',
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    ['contains zero', { contains: { const: 1 }, minContains: 0 }, [[]], []],
    ['required', { required: ['a'] }, [{ a: undefined }, [], 'x'], [{}]],
    [
      'patternProperties',
      { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      [{ x1: 1 }],
      [{ x1: 'a' }, { y: 1 }],
    ],
    ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    ['property count', { minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
    ['anyOf with patterns', { anyOf: [{ pattern: '^a' }, { pattern: 'z$' }] }, ['ab', 'bz'], ['bb']],
    ['oneOf with patterns', { oneOf: [{ pattern: '^a' }, { pattern: 'z$' }] }, ['ab', 'bz'], ['az', 'bb']],
    ['not pattern', { not: { pattern: '^a' } }, ['b'], ['a']],
    [
      'if then else',
      JSON.parse(
        '{"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["a"]},"else":{"required":["b"]}}',
      ),
      [{ k: 1, a: 1 }, { b: 1 }],
      [{ k: 1 }, { a: 1 }],
    ],
    [
      '$ref with siblings',
      { $defs: { n: { type: 'number' } }, $ref: '#/$defs/n', minimum: 3 },
      [3],
      [2, 'x'],
    ],
    [
      'draft-07 $ref hides siblings',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { n: { type: 'number' } },
        properties: { a: { $ref: '#/definitions/n', minimum: 3 } },
      },
      [{ a: 2 }],
      [{ a: 'x' }],
    ],
    ['recursion', node, [{}, { next: { next: {} } }], [{ next: { nxt: {} } }, { next: 1 }]],
    [
      'escaped pointers',
      { $defs: { 'a/b~c%d e': { type: 'number' } }, $ref: '#/$defs/a~1b~0c%25d%20e' },
      [1],
      ['x'],
    ],
    ['$anchor', { $defs: { x: { $anchor: 'here', type: 'number' } }, $ref: '#here' }, [1], ['x']],
    [
      '$id',
      {
        $defs: {
          x: {
            $id: 'https://a/x',
            type: 'object',
            properties: { y: { $ref: '#/$defs/y' } },
            $defs: { y: { type: 'number' } },
          },
        },
        $ref: 'https://a/x',
      },
      [{ y: 1 }],
      [{ y: 'x' }],
    ],
    [
      'unevaluatedProperties',
      {
        allOf: [{ properties: { a: {} } }],
        anyOf: [{ properties: { b: { const: 1 } }, required: ['b'] }, true],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ c: 1 }, { b: 2 }],
    ],
    [
      'unevaluatedItems',
      { prefixItems: [true], contains: { const: 'x' }, minContains: 0, unevaluatedItems: { type: 'number' } },
      [['a', 1, 'x']],
      [['a', 'b']],
    ],
    ['boolean schemas', { properties: { a: false, b: true } }, [{ b: 1 }, {}], [{ a: 1 }]],
    ['formats', { format: 'date' }, ['2024-02-29', 5], ['2023-02-29', '2024-1-1']],
    ['nullable', { type: 'string', nullable: true, enum: ['a'] }, ['a', null], ['b', 1]],
    [
      'nullable ref',
      { properties: { x: { $ref: '#/$defs/s', nullable: true } }, $defs: { s: { type: 'string' } } },
      [{ x: null }, { x: 'a' }],
      [{ x: 1 }],
    ],
    [
      'draft-3 required',
      { properties: { a: { type: 'string', required: true }, b: { required: false } } },
      [{ a: '' }],
      [{}, { b: 1 }],
    ],
    [
      'draft-4 exclusive',
      { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
      [1.1, 3],
      [1, 3.1],
    ],
    ['upper-case type', { type: 'STRING' }, ['a'], [1]],
    ['sloppy pattern', { pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
  ]
  test.each(cases)('The validator implements %s.', (_name, schema, good, bad) => {
    for (const value of good) expect([value, messages(schema, value)]).toEqual([value, []])
    for (const value of bad) expect([value, check(schema, value)]).toEqual([value, false])
  })

  test.each([
    [
      'date-time',
      ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00.5+01:30', '1998-12-31T23:59:60Z'],
      ['2024-01-01', '2024-01-01T25:00:00Z', '1998-12-31T22:59:60Z', '2024-01-01T00:00:00'],
    ],
    ['duration', ['P1Y2M3DT4H5M6S', 'P3W', 'PT5M', 'P1M'], ['P', 'PT', 'P1YT', 'P1S', 'P1Y1D', '1Y']],
    [
      'email',
      ['a@b.co', '"a b"@c.d', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
      ['a', '@b', 'a@', '.a@b.c', 'a..b@c.d', 'a b@c.d'],
    ],
    ['hostname', ['a.b-c.d', 'localhost'], ['-a', 'a_b', 'a..b', `${'a'.repeat(64)}.b`]],
    ['ipv4', ['1.2.3.4'], ['1.2.3', '256.1.1.1', '01.2.3.4', '1.2.3.4.5']],
    [
      'ipv6',
      ['::', '::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1::8'],
      ['1', '1:2:3:4:5:6:7', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7:8:9', '1.2.3.4::'],
    ],
    ['uuid', ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08-aa98-11ea-b4aa73b441d16380']],
    ['uri', ['http://a/b?c#d', 'urn:x:y'], ['a/b', 'http://a b', '//x', 'http://a/%zz', 'a:#b#c']],
    ['json-pointer', ['', '/a~0b/~1'], ['a', '/~2']],
    ['regex', ['a+', '(?=a)'], ['(']],
  ])('The validator checks the format %s.', (format, good, bad) => {
    for (const text of good) expect([text, check({ format }, text)]).toEqual([text, true])
    for (const text of bad) expect([text, check({ format }, text)]).toEqual([text, false])
  })
})
