import { expect, test } from 'vitest'
import { formArguments, formFields, initialArguments } from './schema-form.ts'

const schema = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'Where' },
    lines: { type: ['integer', 'null'] },
    deep: { type: 'boolean' },
    mode: { enum: ['a', 'b'] },
    filter: { type: 'object' },
  },
}

test('A schema makes a field for each property.', () => {
  expect(formFields(schema).map(({ name, input, isRequired }) => [name, input, isRequired])).toEqual([
    ['path', 'text', true],
    ['lines', 'number', false],
    ['deep', 'checkbox', false],
    ['mode', 'choice', false],
    ['filter', 'json', false],
  ])
  expect(formFields(undefined)).toEqual([])
})

test('What was filled in becomes arguments of the right types, and what is empty is left out.', () => {
  const fields = formFields(schema)
  expect(formArguments(fields, { path: 'x', lines: '3', deep: true, mode: '', filter: '{"a":1}' })).toEqual({
    path: 'x',
    lines: 3,
    deep: true,
    filter: { a: 1 },
  })
  expect(() => formArguments(fields, { filter: '{' })).toThrow('"filter" takes JSON')
})

test('A form begins with the defaults of the schema, and a choice keeps its type.', () => {
  const fields = formFields({
    properties: {
      mode: { enum: ['a', 2], default: 2 },
      deep: { type: 'boolean', default: true },
      flat: { type: 'boolean', default: false },
      list: { type: 'array', default: [1] },
      path: { type: 'string' },
    },
  })
  const filled = initialArguments(fields)
  expect(filled).toEqual({ mode: '2', deep: true, list: '[1]' })
  expect(formArguments(fields, filled)).toEqual({ mode: 2, deep: true, list: [1] })
})

test('What may be absent, and what is behind a reference, has the field of its own type.', () => {
  const fields = formFields({
    $defs: { Mode: { enum: ['fast', 'slow'], description: 'How' }, Options: { type: 'object' } },
    properties: {
      note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Note' },
      mode: { $ref: '#/$defs/Mode' },
      again: { allOf: [{ $ref: '#/$defs/Mode' }], default: 'slow' },
      kind: { const: 'file' },
      options: { $ref: '#/$defs/Options' },
      either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      both: { type: ['string', 'integer'] },
      lost: { $ref: '#/$defs/None' },
      endless: { $ref: '#/properties/endless' },
    },
  })
  expect(
    fields.map(({ name, label, about, input, initial }) => [name, label, about, input, initial]),
  ).toEqual([
    ['note', 'Note', '', 'text', ''],
    ['mode', 'mode', 'How', 'choice', ''],
    ['again', 'again', 'How', 'choice', 'slow'],
    ['kind', 'kind', '', 'choice', ''],
    ['options', 'options', '', 'json', ''],
    ['either', 'either', '', 'json', ''],
    ['both', 'both', '', 'json', ''],
    ['lost', 'lost', '', 'json', ''],
    ['endless', 'endless', '', 'json', ''],
  ])
})

test('A box that is required is sent unticked, and numbers and texts keep to the limits of the schema.', () => {
  const fields = formFields({
    required: ['force'],
    properties: {
      force: { type: 'boolean' },
      quiet: { type: 'boolean' },
      days: { type: 'integer', minimum: 1, maximum: 7 },
      share: { type: 'number' },
      text: { type: 'string', maxLength: 5000 },
    },
  })
  expect(formArguments(fields, initialArguments(fields))).toEqual({ force: false })
  expect(fields.map(({ input, limits }) => [input, limits])).toEqual([
    ['checkbox', {}],
    ['checkbox', {}],
    ['number', { min: 1, max: 7 }],
    ['number', { step: 'any' }],
    ['text', { maxLength: 5000 }],
  ])
})

test('Without properties all arguments are one field, unless there can be none.', () => {
  const fields = formFields({ type: 'object' })
  expect(fields.map(({ label, input }) => [label, input])).toEqual([['Arguments', 'json']])
  expect(formArguments(fields, { '': '{"a":1}' })).toEqual({ a: 1 })
  expect(formArguments(fields, {})).toEqual({})
  expect(formFields({ type: 'object', properties: {}, additionalProperties: false })).toEqual([])
})
