/** For any schema with a strict form, an output that the model writes in that form is the output of the step. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callOf, stepModel, textOf, toolOf } from '../../../../test/support/step-model.ts'
import { createValidator } from '../schema/validate/validate.ts'
import { defineStep } from './define-step.ts'
import { runStep } from './run-step.ts'

/** A schema, and pairs of a value and its form in strict mode. */
interface Shape {
  readonly schema: object
  readonly takesNull: boolean
  readonly pairs: fc.Arbitrary<Pair>
}
interface Pair {
  readonly value: unknown
  readonly written: unknown
}

const plain = (schema: object, values: fc.Arbitrary<unknown>, takesNull = false): Shape => ({
  schema,
  takesNull,
  pairs: values.map(value => ({ value, written: value })),
})

const leaf = fc.constantFrom<Shape[]>(
  plain({ type: 'string' }, fc.string()),
  plain({ type: 'integer', minimum: 0 }, fc.nat()),
  plain({ type: 'boolean' }, fc.boolean()),
  plain({ type: ['string', 'null'] }, fc.option(fc.string()), true),
  plain({ enum: ['a', 2, null] }, fc.constantFrom('a', 2, null), true),
  plain(
    { type: 'string', pattern: '^#' },
    fc.string().map(text => `#${text}`),
  ),
)

const listOf = (item: Shape): Shape => ({
  schema: { type: 'array', items: item.schema },
  takesNull: false,
  pairs: fc.array(item.pairs, { maxLength: 3 }).map(pairs => ({
    value: pairs.map(({ value }) => value),
    written: pairs.map(({ written }) => written),
  })),
})

type Field = readonly [key: string, shape: Shape, optional: boolean]

const objectOf = (fields: readonly Field[]): Shape => {
  const entries = fields.map(([key, shape, optional]) => {
    // If null is itself a valid value, an optional property has no strict form.
    const present = shape.pairs.map(pair => ({ key, ...pair, absent: false }))
    const absent = fc.constant({ key, value: undefined, written: null, absent: true })
    return optional && !shape.takesNull ? fc.oneof(present, absent) : present
  })
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([key, { schema }]) => [key, schema])),
      required: fields.filter(([, , optional]) => !optional).map(([key]) => key),
    },
    takesNull: false,
    pairs: fc.tuple(...entries).map(list => ({
      value: Object.fromEntries(list.filter(({ absent }) => !absent).map(({ key, value }) => [key, value])),
      written: Object.fromEntries(list.map(({ key, written }) => [key, written])),
    })),
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'toString', '__proto__', 'k~/%')
const { object: shapes } = fc.letrec<{ any: Shape; object: Shape }>(tie => ({
  object: fc
    .uniqueArray(fc.tuple(keys, tie('any'), fc.boolean()), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 4,
    })
    .map(objectOf),
  any: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), tie('any').map(listOf)),
}))
const cases = shapes.chain(({ schema, pairs }) => pairs.map(pair => ({ schema, ...pair })))

describe('laws', () => {
  test.each(['tool', 'format'] as const)(
    'A valid output arrives exactly through the carrier %s.',
    async carrier => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ schema, value, written }) => {
          const step = defineStep({ name: 's', outputSchema: schema, carrier, maxRetries: 0 })
          expect(step.strict).toBe(true)
          const model = stepModel(carrier === 'tool' ? callOf('s', written) : textOf(JSON.stringify(written)))
          const result = await runStep(step, '', { model })
          expect(result.error).toBeUndefined()
          expect(result.output).toStrictEqual(value)
          const [request] = model.requests
          const format = request?.settings.format?.value
          const sent =
            carrier === 'tool' ? toolOf(request).parameters : format?.type === 'json_schema' && format.schema
          expect(createValidator(sent).validate(written)).toEqual({ ok: true })
        }),
      )
    },
  )

  test('Whatever a model writes ends in an output that fits the schema, or in an error.', async () => {
    const step = defineStep({
      name: 's',
      outputSchema: {
        type: 'object',
        properties: { n: { type: 'integer' }, t: { type: 'string' } },
        required: ['n'],
      },
      maxRetries: 1,
    })
    const validator = createValidator(step.outputSchema)
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.json(),
            fc.record({ n: fc.integer() }).map(v => JSON.stringify(v)),
          ),
          {
            minLength: 2,
            maxLength: 2,
          },
        ),
        async texts => {
          const result = await runStep(step, '', {
            model: stepModel(...texts.map(text => callOf('s', text))),
          })
          if (result.ok) expect(validator.validate(result.output)).toEqual({ ok: true })
          else expect(['invalid_json', 'invalid_output']).toContain(result.error.code)
        },
      ),
    )
  })
})
