/** Definitions that a target refuses are rewritten, said, and undone in the calls, on every pair of wires. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { callBack, crossings, functionsOf, open, requestFor, toolFor } from './calls.test-helper.ts'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** A root that must be wrapped, and arguments that fit it. */
const wrapped: readonly (readonly [what: string, schema: JsonObject, args: string])[] = [
  ['a union of objects', { anyOf: [city, { type: 'object', properties: { lat: {} } }] }, '{"city":"Rom"}'],
  [
    'an exclusive union',
    { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    '{"a":1e400}',
  ],
  [
    'an "allOf" that cannot be merged',
    { allOf: [{ properties: { a: { pattern: 'x' } } }, { properties: { a: { pattern: 'y' } } }] },
    '{"a":"xy"}',
  ],
  ['a string', { type: 'string', minLength: 1 }, '"Rom"'],
  ['a list', { type: 'array', items: { type: 'integer' } }, '[1,12345678901234567890]'],
  ['values', { enum: ['a', 'b'] }, '"a"'],
  ['a value that may be null', { type: ['string', 'null'] }, 'null'],
  [
    'the property "input" itself',
    { anyOf: [{ type: 'object', properties: { input: {} } }] },
    '{"input":{"input":1}}',
  ],
]

describe.each(crossings)('from %s to %s', (from, to) => {
  const send = (parameters: unknown, more: object = {}) => {
    const exchange = open({ from, to })
    const body = requestFor(from, { tools: [toolFor(from, 'f', parameters)], ...more })
    const { value, diagnostics } = exchange.request(body)
    const [tool] = functionsOf(to, value)
    const codes = diagnostics.map(({ code }) => code)
    return { exchange, value, schema: tool?.parameters, diagnostics, codes }
  }

  test.each(wrapped)(
    'A root that is %s is wrapped in an object, and calls come back without it.',
    (_, root, args) => {
      const { exchange, schema, codes } = send(root)
      expect(schema).toMatchObject({ type: 'object', required: ['input'], properties: { input: {} } })
      expect(codes).toContain('parameters_wrapped')
      const calls = callBack(exchange, [from, to], { name: 'f', input: `{"input":${args}}` })
      // The arguments of Messages are an object, whose numbers have been parsed.
      const viaObject = from === 'messages' || to === 'messages'
      const isCarried = from !== 'messages' || args.startsWith('{')
      const expected = viaObject ? JSON.stringify(JSON.parse(args)) : args
      const { whole, streamed } = calls
      if (isCarried)
        expect([whole?.input, viaObject ? expected : streamed?.input]).toEqual([expected, expected])
      if (isCarried) expect(JSON.parse(streamed?.input ?? '')).toEqual(JSON.parse(args))
    },
  )

  test('A list as "items", which no server takes today, is written as "prefixItems".', () => {
    const pair = { type: 'tuple', items: [{ type: 'str' }, { items: [{}] }], additionalItems: false }
    const { schema, codes } = send({ type: 'object', properties: { pair } })
    expect(schema?.properties).toEqual({
      pair: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { prefixItems: [{}], items: {} }],
        items: false,
      },
    })
    expect(codes.filter(code => code === 'schema_rewritten')).toHaveLength(2)
  })

  test.each([
    ['properties', 5],
    ['required', 'x'],
    ['items', 5],
    ['additionalProperties', 'no'],
    ['not', []],
    ['anyOf', {}],
    ['$ref', 5],
    ['pattern', 5],
    ['description', {}],
    ['minLength', 'x'],
    ['maximum', '5'],
  ])('An invalid "%s" somewhere in a schema is reported at its place.', (keyword, value) => {
    const { diagnostics } = send({ type: 'object', properties: { a: { [keyword]: value } } })
    const invalid = diagnostics.filter(({ code }) => code === 'schema_keyword_invalid')
    expect(invalid.map(({ path }) => path.slice(-3))).toEqual([['properties', 'a', keyword]])
  })

  test('A model that has ignored the wrapper is understood.', () => {
    const { exchange } = send({ anyOf: [city] })
    const calls = callBack(exchange, [from, to], { name: 'f', input: '{"city":"Rom"}' })
    expect([calls.whole?.input, calls.streamed?.input]).toEqual(['{"city":"Rom"}', '{"city":"Rom"}'])
  })

  test('References lead to the same schemas inside the wrapper.', () => {
    const node = { $ref: '#/$defs/node' }
    const root = { anyOf: [node, { $ref: '#/anyOf/0' }, { $ref: '#' }], $defs: { node: { type: 'object' } } }
    expect(send(root).schema).toEqual({
      type: 'object',
      properties: {
        input: { anyOf: [node, { $ref: '#/properties/input/anyOf/0' }, { $ref: '#/properties/input' }] },
      },
      required: ['input'],
      additionalProperties: false,
      $defs: { node: { type: 'object' } },
    })
  })

  test('A reference at the root is written out, and "allOf" is merged where that is exact.', () => {
    const referred = send({ $ref: '#/definitions/City', definitions: { City: city } })
    expect(referred.schema).toEqual({ ...city, definitions: { City: city } })
    expect(referred.codes).toContain('schema_rewritten')
    const merged = send({ allOf: [city, { properties: { n: { type: 'integer' } } }] })
    expect(merged.schema).toEqual({ ...city, properties: { ...city.properties, n: { type: 'integer' } } })
    expect(merged.codes).toContain('schema_rewritten')
  })

  test('A reference at the root that leads nowhere or to itself is wrapped.', () => {
    for (const root of [{ $ref: '#/$defs/none' }, { $ref: '#' }]) {
      expect(send(root).schema).toMatchObject({ type: 'object', required: ['input'] })
    }
  })

  test('Types of programming languages become those of JSON Schema, and others are left out with a word.', () => {
    const names = ['str', 'int', 'float', 'bool', 'dict', 'list', 'tuple', 'None', 'any', 'STRING', 'Frob']
    const properties = Object.fromEntries(names.map(name => [name, { type: name }]))
    const { schema, codes } = send({
      type: 'dict',
      properties: { ...properties, l: { type: ['int', 'any'] } },
    })
    const items = to === 'messages' ? {} : { items: {} }
    expect(schema).toEqual({
      type: 'object',
      properties: {
        str: { type: 'string' },
        int: { type: 'integer' },
        float: { type: 'number' },
        bool: { type: 'boolean' },
        dict: { type: 'object' },
        list: { type: 'array', ...items },
        tuple: { type: 'array', ...items },
        None: { type: 'null' },
        any: {},
        STRING: { type: 'string' },
        Frob: {},
        l: {},
      },
    })
    expect(codes.filter(code => code === 'schema_normalized')).toHaveLength(12)
    expect(codes.filter(code => code === 'schema_type_unknown')).toHaveLength(1)
  })

  test('A keyword whose value means nothing is sent as it is and reported with its place.', () => {
    const inner = { type: 'object', properties: 5, required: 'x', enum: {}, anyOf: false }
    const given = { type: 'object', properties: { a: inner, b: { type: 'object', properties: { c: 7 } } } }
    const { schema, diagnostics } = send(given)
    expect(schema).toEqual(given)
    const invalid = diagnostics.filter(({ code }) => code === 'schema_keyword_invalid')
    expect(invalid.map(({ path }) => path.slice(-3).join('.'))).toEqual([
      'properties.a.properties',
      'properties.a.required',
      'properties.a.enum',
      'properties.a.anyOf',
      'properties.b.properties',
    ])
  })

  test('An object root without "properties" gets an empty list where the target demands one.', () => {
    const { schema, codes } = send({ type: 'object' })
    expect(schema).toEqual(to === 'messages' ? { type: 'object' } : { type: 'object', properties: {} })
    expect(codes.includes('parameters_properties_added')).toBe(to !== 'messages')
  })

  test('A root without a type is an object, and so is one that allows anything.', () => {
    expect(send({ properties: {} }).schema).toEqual({ type: 'object', properties: {} })
    expect(send({ type: ['object', 'null'], properties: {} }).schema).toEqual({
      type: 'object',
      properties: {},
    })
    expect(send(true).schema).toEqual({ type: 'object', properties: {} })
  })

  test('Calls in the history have the shape in which the target knows the tool.', () => {
    const call = (args: string): object[] =>
      from === 'chat'
        ? [
            {
              role: 'assistant',
              tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
            },
            { role: 'tool', tool_call_id: 'c', content: 'ok' },
          ]
        : from === 'responses'
          ? [
              { type: 'function_call', call_id: 'c', name: 'f', arguments: args },
              { type: 'function_call_output', call_id: 'c', output: 'ok' },
            ]
          : [
              {
                role: 'assistant',
                content: [{ type: 'tool_use', id: 'c', name: 'f', input: JSON.parse(args) }],
              },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
            ]
    const history = [{ role: 'user', content: 'hello' }, ...call('{"city":"Rom"}')]
    const { value } = send(
      { anyOf: [city] },
      from === 'responses' ? { input: history } : { messages: history },
    )
    const text = JSON.stringify(value)
    expect(text.replaceAll('\\', '')).toContain('{"input":{"city":"Rom"}}')
  })

  test('A sound schema is passed on by reference.', () => {
    expect(send(city).schema).toBe(city)
  })
})

test.each(['chat', 'responses', 'messages'] as const)('On %s itself every schema stays as it is.', wire => {
  for (const [, schema] of wrapped) {
    const body = requestFor(wire, { tools: [toolFor(wire, 'f', schema)] })
    expect(open({ from: wire, to: wire }).request(body).value).toEqual(body)
  }
})
