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
  expect(() => formArguments(fields, { filter: '{' })).toThrow()
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
