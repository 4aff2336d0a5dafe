import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createValidator } from '../validate/validate.ts'
import { strictify } from './strictify.ts'

/**
 * Combinators in every mix, over so few values that branches overlap, merge and exclude each other
 * all the time. Whatever strict mode lets a model write must, undone, be legal in the schema that was given.
 */
const key = fc.constantFrom('a', 'b', 'k')
const leaf = fc.constantFrom<Record<string, unknown>[]>(
  { type: 'string' },
  { type: 'integer', minimum: 1 },
  { type: ['string', 'null'] },
  { type: 'null' },
  { const: 'x' },
  { const: 'y' },
  { enum: ['x', 1] },
  { type: 'string', pattern: '^x' },
  { type: 'string', enum: ['y', null], nullable: true },
  { $ref: '#/$defs/d' },
  { $ref: '#/$defs/e' },
  { $ref: '#/$defs/d', description: 'text' },
)
const { node, object } = fc.letrec<{ node: Record<string, unknown>; object: Record<string, unknown> }>(
  tie => {
    const some = fc.array(tie('node'), { minLength: 1, maxLength: 2 })
    const objects = fc.array(tie('object'), { minLength: 1, maxLength: 3 })
    return {
      object: fc
        .record(
          {
            type: fc.constant('object'),
            properties: fc.dictionary(key, tie('node'), { minKeys: 1, maxKeys: 3 }),
            required: fc.uniqueArray(key, { maxLength: 2 }),
            additionalProperties: fc.constant(false),
          },
          { requiredKeys: ['type', 'properties'] },
        )
        .map(({ required = [], ...rest }) => ({
          ...rest,
          required: required.filter(name => Object.hasOwn(rest.properties, name)),
        })),
      node: fc.oneof(
        { maxDepth: 3 },
        { weight: 3, arbitrary: leaf },
        { weight: 2, arbitrary: tie('object') },
        { weight: 1, arbitrary: tie('node').map(items => ({ type: 'array', items })) },
        { weight: 1, arbitrary: some.map(anyOf => ({ anyOf })) },
        { weight: 1, arbitrary: some.map(oneOf => ({ oneOf })) },
        { weight: 1, arbitrary: some.map(allOf => ({ allOf })) },
        { weight: 1, arbitrary: objects.map(oneOf => ({ oneOf })) },
        { weight: 1, arbitrary: objects.map(allOf => ({ allOf })) },
        {
          weight: 1,
          arbitrary: fc.tuple(tie('object'), objects).map(([base, anyOf]) => ({ ...base, anyOf })),
        },
        { weight: 1, arbitrary: tie('object').map(base => ({ ...base, $ref: '#/$defs/o' })) },
      ),
    }
  },
)
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 'x', 'y', 'xz', 1, 0),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
    fc.array(tie('any'), { maxLength: 2 }),
  ),
})).any
const root = fc
  .record({ base: object, d: node, e: leaf, o: object })
  .map(({ base, d, e, o }) => ({ ...base, $defs: { d, e, o } }))

/** Mostly filled in as the strict schema wants it, so that many values pass it. */
function shape(schema: unknown, document: Record<string, unknown>, draw: () => number, depth = 0): unknown {
  const of = schema as {
    $ref?: string
    anyOf?: unknown[]
    enum?: unknown[]
    const?: unknown
    type?: string | string[]
    properties?: object
    items?: unknown
  }
  if (of.$ref !== undefined) {
    const name = of.$ref.split('/').at(-1) ?? ''
    const target = of.$ref === '#' ? document : (document.$defs as Record<string, unknown>)[name]
    return depth > 8 ? null : shape(target, document, draw, depth + 1)
  }
  if (of.anyOf !== undefined) return shape(of.anyOf[draw() % of.anyOf.length], document, draw, depth + 1)
  if (of.enum !== undefined) return of.enum[draw() % of.enum.length]
  if ('const' in of) return of.const
  const types = [of.type ?? 'null'].flat()
  switch (types[draw() % types.length]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(of.properties ?? {}).map(([name, member]) => [
          name,
          shape(member, document, draw, depth + 1),
        ]),
      )
    case 'array':
      return Array.from({ length: draw() % 3 }, () => shape(of.items, document, draw, depth + 1))
    case 'string':
      return ['x', 'y', 'xz'][draw() % 3]
    case 'integer':
      return (draw() % 3) + 1
    default:
      return null
  }
}

describe('soundness', () => {
  test('Arguments that the strict schema accepts are, after undo, accepted by the original schema.', () => {
    let strict = 0
    let accepted = 0
    fc.assert(
      fc.property(
        root,
        fc.array(fc.array(fc.nat({ max: 30 }), { minLength: 5, maxLength: 20 }), {
          minLength: 4,
          maxLength: 4,
        }),
        value,
        (schema, draws, other) => {
          const result = strictify(schema)
          if (!result.strict || result.diagnostics.some(one => one.code === 'strict_keyword_in_description'))
            return
          strict++
          const [before, after] = [createValidator(schema), createValidator(result.schema)]
          const drawn = draws.map(numbers => {
            let at = 0
            return shape(
              result.schema,
              result.schema as Record<string, unknown>,
              () => numbers[at++ % numbers.length] ?? 0,
            )
          })
          for (const args of [...drawn, other]) {
            if (!after.validate(args).ok) continue
            accepted++
            const undone = result.undo(args)
            expect([undone, before.validate(undone)]).toEqual([undone, { ok: true }])
          }
        },
      ),
      { numRuns: 1000 },
    )
    // Guards the test itself: it must not pass because nothing was checked.
    expect(strict).toBeGreaterThan(200)
    expect(accepted).toBeGreaterThan(400)
  })
})

test('A cycle of nothing but references has no strict form.', () => {
  const circle = { d: { anyOf: [{ $ref: '#/$defs/e' }] }, e: { $ref: '#/$defs/d' } }
  const result = strictify({ type: 'object', properties: { a: { $ref: '#/$defs/d' } }, $defs: circle })
  expect(result).toMatchObject({ strict: false, diagnostics: [{ code: 'strict_unsupported_keyword' }] })
})
