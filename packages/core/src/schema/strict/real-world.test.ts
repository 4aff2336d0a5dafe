import { describe, expect, test } from 'vitest'
import { checkStrict, createValidator, strictify, toChatDialect, toMessagesDialect } from '../index.ts'

interface Story {
  schema: Record<string, unknown>
  /** Refusals; empty means that the schema can be strict. */
  refused: string[]
  good: unknown[]
  bad: [unknown, string][]
  /** Arguments as a model in strict mode writes them, and as the tool must get them. */
  undo?: [unknown, unknown]
}

const stories: Record<string, Story> = {
  'a Python model with Optional and a referenced enum': {
    schema: {
      $defs: { Unit: { enum: ['celsius', 'kelvin'], title: 'Unit', type: 'string' } },
      properties: {
        city: { title: 'City', type: 'string' },
        unit: { allOf: [{ $ref: '#/$defs/Unit' }], default: 'celsius', description: 'The unit' },
        days: { anyOf: [{ type: 'integer', maximum: 14 }, { type: 'null' }], default: null, title: 'Days' },
      },
      required: ['city'],
      title: 'Weather',
      type: 'object',
    },
    refused: [],
    good: [{ city: 'Oslo' }, { city: 'Oslo', unit: 'kelvin', days: null }],
    bad: [
      [{ city: 'Oslo', unit: 'f' }, '/unit must be one of: "celsius", "kelvin"; got the string "f"'],
      [{ city: 'Oslo', days: 20 }, '/days must be at most 14, got 20'],
    ],
    undo: [
      { city: 'Oslo', unit: null, days: null },
      { city: 'Oslo', days: null },
    ],
  },
  'a todo list with safe-integer bounds and a nested enum': {
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string', minLength: 1 },
              status: { type: 'string', enum: ['pending', 'done'] },
              order: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
            },
            required: ['content', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['todos'],
      additionalProperties: false,
    },
    refused: [],
    good: [{ todos: [] }, { todos: [{ content: 'a', status: 'done' }] }],
    bad: [
      [
        { todos: [{ content: '', status: 'done' }] },
        '/todos/0/content must have at least 1 character, has 0',
      ],
    ],
    undo: [
      { todos: [{ content: 'a', status: 'done', order: null }] },
      { todos: [{ content: 'a', status: 'done' }] },
    ],
  },
  'free-form headers and a body of any kind': {
    schema: {
      type: 'object',
      properties: {
        url: { type: 'string', format: 'uri' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        body: {},
      },
      required: ['url'],
    },
    refused: ['strict_open_object properties/headers/additionalProperties', 'strict_untyped properties/body'],
    good: [{ url: 'https://a.b', headers: { x: 'y' }, body: [1] }],
    bad: [[{ url: 'nope' }, '/url must be in the format uri, got the string "nope"']],
  },
  'either a path or an id, told by required alone': {
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, id: { type: 'integer' } },
      oneOf: [{ required: ['path'] }, { required: ['id'] }],
    },
    refused: [],
    good: [{ path: '/' }, { id: 1 }],
    bad: [
      [{ path: '/', id: 1 }, 'the value must match exactly one of the allowed forms, but matches 1 and 2'],
    ],
    undo: [{ path: '/', id: null }, { path: '/' }],
  },
  'an OpenAPI 3.0 body in upper case with nullable and draft-4 bounds': {
    schema: {
      type: 'OBJECT',
      properties: {
        name: { type: 'STRING', nullable: true },
        age: { type: 'INTEGER', minimum: 0, exclusiveMinimum: true },
      },
      required: ['name', 'age'],
    },
    refused: [],
    good: [{ name: null, age: 1 }],
    bad: [[{ name: 'a', age: 0 }, '/age must be more than 0, got 0']],
    undo: [
      { name: null, age: 1 },
      { name: null, age: 1 },
    ],
  },
  'a recursive filter language': {
    schema: {
      type: 'object',
      properties: { where: { $ref: '#/definitions/Filter' } },
      required: ['where'],
      definitions: {
        Filter: {
          oneOf: [
            {
              type: 'object',
              properties: {
                op: { const: 'and' },
                args: { type: 'array', items: { $ref: '#/definitions/Filter' } },
              },
              required: ['op', 'args'],
            },
            {
              type: 'object',
              properties: {
                op: { const: 'eq' },
                field: { type: 'string' },
                value: { type: ['string', 'number', 'null'] },
                fold: { type: 'boolean' },
              },
              required: ['op', 'field', 'value'],
            },
          ],
        },
      },
    },
    refused: [],
    good: [{ where: { op: 'and', args: [{ op: 'eq', field: 'a', value: null }] } }],
    bad: [
      [
        { where: { op: 'and', args: [{ op: 'eq', field: 1, value: null }] } },
        '/where/args/0/field must be a string, got the number 1',
      ],
    ],
    undo: [
      { where: { op: 'and', args: [{ op: 'eq', field: 'a', value: null, fold: null }] } },
      { where: { op: 'and', args: [{ op: 'eq', field: 'a', value: null }] } },
    ],
  },
  'names that look like keywords and prototype members': {
    schema: {
      type: 'object',
      properties: {
        type: { type: 'string' },
        properties: { type: 'array', items: { type: 'string' } },
        $ref: { type: 'string' },
        required: { type: 'boolean' },
        constructor: { type: 'string' },
      },
      required: ['type', 'constructor'],
    },
    refused: [],
    good: [{ type: 'x', constructor: 'y', $ref: '#' }],
    bad: [[{ type: 'x' }, 'missing required property "constructor"']],
    undo: [
      { type: 'x', properties: null, $ref: null, required: null, constructor: 'y' },
      { type: 'x', constructor: 'y' },
    ],
  },
}

describe.each(Object.entries(stories))('%s', (_name, { schema, refused, good, bad, undo }) => {
  test('The validator accepts valid values and explains the issue of an invalid one.', () => {
    const validator = createValidator(schema)
    for (const value of good) expect(validator.validate(value)).toEqual({ ok: true })
    for (const [value, message] of bad) {
      const result = validator.validate(value)
      expect(result.ok ? [] : result.issues.map(one => one.message)).toEqual([message])
    }
  })

  test('strictify converts the schema or reports why it cannot.', () => {
    const result = strictify(schema)
    const reasons = result.strict ? [] : result.diagnostics.map(one => `${one.code} ${one.path.join('/')}`)
    expect(reasons).toEqual(refused)
    if (refused.length > 0) {
      expect(result.schema).toBe(schema)
      return
    }
    expect(checkStrict(result.schema)).toEqual({ ok: true, diagnostics: [] })
    if (undo === undefined) return
    expect(createValidator(result.schema).validate(undo[0])).toEqual({ ok: true })
    expect(JSON.stringify(result.undo(undo[0]))).toBe(JSON.stringify(undo[1]))
    expect(createValidator(schema).validate(undo[1])).toEqual({ ok: true })
  })

  test('The Chat dialect accepts every valid value, and the Messages dialect does or reports why not.', () => {
    const chat = createValidator(toChatDialect(schema).schema)
    for (const value of good) expect(chat.validate(value)).toEqual({ ok: true })
    const messages = toMessagesDialect(schema)
    if (!messages.strict) {
      expect(messages.schema).toBe(schema)
      expect(messages.diagnostics.length).toBeGreaterThan(0)
      return
    }
    const validator = createValidator(messages.schema)
    for (const value of good) expect(validator.validate(value)).toEqual({ ok: true })
  })
})
