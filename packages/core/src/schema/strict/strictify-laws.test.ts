import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createValidator } from '../validate/validate.ts'
import { checkStrict } from './check-strict.ts'
import { strictify } from './strictify.ts'

/** A shape from which a schema and pairs of (value, value with nulls filled in) can be drawn. */
type Shape =
  | { kind: 'leaf'; schema: unknown; values: unknown[] }
  | { kind: 'object'; fields: [string, Shape, boolean][]; tag?: string }
  | { kind: 'array'; items: Shape }
  | { kind: 'union'; keyword: 'anyOf' | 'oneOf'; options: Shape[] }
  | { kind: 'defined'; name: string }

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
  test('Arguments with null for absent properties satisfy the strict schema, and undo restores them.', () => {
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

  test('undo removes only nulls of declared optional properties, whatever the arguments.', () => {
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

  test('strictify never throws and never modifies its input, whatever the schema.', () => {
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
