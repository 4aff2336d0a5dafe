import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createToolsJsonForResponsesApi } from './index.ts'

describe('seed 000, the printed tests', () => {
  test('A nested function definition becomes flat. [S000.20] [C1]', () => {
    const input = [
      {
        type: 'function',
        function: {
          name: 'browser_dom',
          description: 'Interact with DOM elements',
          parameters: { type: 'object', properties: { action: { type: 'string' } } },
        },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output).toEqual([
      {
        type: 'function',
        name: 'browser_dom',
        description: 'Interact with DOM elements',
        strict: false,
        parameters: { type: 'object', properties: { action: { type: 'string' } } },
      },
    ])
    expect(output[0]).not.toHaveProperty('function')
  })

  test('A strict field is preserved. [S000.21]', () => {
    const input = [
      {
        type: 'function',
        function: { name: 'test_tool', description: 'Test', strict: true, parameters: {} },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output[0]?.strict).toBe(true)
  })

  test('Invalid tools are dropped. [S000.22] [C4] [C5]', () => {
    const input = [
      { type: 'function', function: { name: 'valid', description: 'Valid tool', parameters: {} } },
      { type: 'function', function: { name: 'invalid' } }, // Missing description
      { type: 'function' }, // Missing function object
      null,
      undefined,
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output).toHaveLength(1)
    expect(output[0]?.name).toBe('valid')
  })

  test('A complex parameters schema is preserved. [S000.23] [S000.9] [C3]', () => {
    // Made anew at each call: a schema that was changed in place must not be compared with itself.
    const complexSchema = () => ({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['query', 'click'] },
        selector: { type: 'string' },
        options: { type: 'object', properties: { timeout: { type: 'number', default: 5000 } } },
      },
      required: ['action'],
      additionalProperties: false,
    })
    const input = [
      {
        type: 'function',
        function: { name: 'dom_tool', description: 'DOM operations', parameters: complexSchema() },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output[0]?.parameters).toEqual(complexSchema())
    expect(JSON.stringify(output[0]?.parameters)).toBe(JSON.stringify(complexSchema()))
    expect(JSON.stringify(input[0]?.function.parameters)).toBe(JSON.stringify(complexSchema()))
  })
})

describe('seed 000, TR-3', () => {
  /** Keywords of every kind, some of them nobody's, over values of any kind. */
  const keyword = fc.constantFrom(
    ...[
      '$schema',
      '$defs',
      '$ref',
      'title',
      'description',
      'default',
      'examples',
      'const',
      'enum',
      'pattern',
    ],
    ...[
      'format',
      'minimum',
      'exclusiveMaximum',
      'multipleOf',
      'minLength',
      'maxItems',
      'uniqueItems',
      'items',
    ],
    ...['prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'required', 'additionalProperties'],
    ...[
      'patternProperties',
      'propertyNames',
      'dependentRequired',
      'unevaluatedProperties',
      'nullable',
      'x-vendor',
    ],
  )
  const part = fc.letrec<{ schema: object }>(tie => ({
    schema: fc.dictionary(keyword, fc.oneof({ depthSize: 'small' }, fc.jsonValue(), tie('schema')), {
      maxKeys: 5,
    }),
  })).schema

  test('The generator copies any parameters byte for byte and does not change the originals. [S000.9] [S000.23] [C22]', () => {
    fc.assert(
      fc.property(part, fc.dictionary(fc.string(), part, { maxKeys: 3 }), (more, properties) => {
        const json = JSON.stringify({ type: 'object', ...more, properties })
        const parameters: unknown = JSON.parse(json)
        const output = createToolsJsonForResponsesApi([
          { type: 'function', function: { name: 'a', description: 'A', parameters } },
          { type: 'function', function: { name: 'b', description: 'B', strict: true, parameters } },
        ])
        expect(output.map(tool => JSON.stringify(tool.parameters))).toEqual([json, json])
        expect(JSON.stringify(parameters)).toBe(json)
      }),
    )
  })
})
