import { readFileSync } from 'node:fs'
import { createValidator } from '@toolwire/core/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkShape, type Problem } from './check-shape.ts'
import { configRule } from './config-table.ts'
import { configJsonSchema } from './json-schema.ts'
import type { Rule } from './rule.ts'
import { builtInWireSet } from './wires.ts'

const published = new URL('../../schema/toolwire.schema.json', import.meta.url)

test('The published schema is the one generated from the table.', () => {
  const remedy =
    'Write it anew: toolwire config schema > packages/toolwire/schema/toolwire.schema.json, then format.'
  expect(JSON.parse(readFileSync(published, 'utf8')), remedy).toEqual(configJsonSchema())
})

const scalars = fc.oneof(
  fc.constantFrom(null, true, false, '', 'x', 'chat', 'http://127.0.0.1:1/v1', 0, -1, 1, 1.5, 1e21, 4096),
  fc.string(),
  fc.integer(),
)

/** Values that follow the rule, and now and then do not. */
function valuesFor(rule: Rule): fc.Arbitrary<unknown> {
  switch (rule.kind) {
    case 'text':
      return fc.oneof(fc.constantFrom('http://127.0.0.1:1/v1', 'A_NAME', 'a-name', 'a b'), fc.string())
    case 'flag':
      return fc.boolean()
    case 'number':
      return fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: Math.ceil(rule.min), max: rule.max ?? 2 ** 40 }) },
        fc.constantFrom(rule.min, rule.max ?? rule.min + 1, rule.min - 1),
        fc.double(),
      )
    case 'choice':
      return fc.constantFrom(...rule.of, 'other')
    case 'wire':
      return fc.constantFrom(...builtInWireSet.names, 'Not a name')
    case 'null':
      return fc.constant(null)
    case 'any object':
      return fc.dictionary(fc.string(), scalars, { maxKeys: 2 })
    case 'list':
      return fc.array(slipping(rule.item), { maxLength: 2 })
    case 'map':
      return fc.dictionary(fc.string(), slipping(rule.value), { maxKeys: 2 })
    case 'object': {
      const given = Object.entries(rule.fields).filter(([, field]) => field.rule.kind !== 'code')
      const required = given.filter(([, field]) => field.required).map(([name]) => name)
      const fields = Object.fromEntries(given.map(([name, field]) => [name, slipping(field.rule)]))
      return fc.record(fields, { requiredKeys: required })
    }
    case 'either':
      return fc.oneof(...rule.of.map(valuesFor))
    case 'code':
      return scalars
  }
}

/** Only a run knows which wires are registered, so that the schema lets any name pass. */
function isUnknownWire({ path, message }: Problem): boolean {
  return path.at(-1) === 'wire' && /got "[a-z][a-z0-9-]{0,31}"\.$/.test(message)
}

function slipping(rule: Rule): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: valuesFor(rule) }, { weight: 1, arbitrary: scalars })
}

describe('editors and the gateway agree', () => {
  const validator = createValidator(configJsonSchema())
  const agree = (rule: Rule, wrap: (value: unknown) => unknown): void => {
    let sound = 0
    fc.assert(
      fc.property(valuesFor(rule), value => {
        // A file holds what JSON can say.
        const config: unknown = JSON.parse(JSON.stringify(wrap(value)))
        const isSound = checkShape(config, configRule).every(isUnknownWire)
        if (isSound) sound++
        expect(validator.validate(config).ok).toBe(isSound)
      }),
    )
    expect(sound).toBeGreaterThan(0)
  }

  for (const [name, { rule }] of Object.entries(configRule.fields)) {
    if (rule.kind !== 'code')
      test(`Editors and the gateway agree on "${name}".`, () => agree(rule, value => ({ [name]: value })))
  }
})
