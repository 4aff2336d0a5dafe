import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { convertJsonSchemaToOpenAI } from './index.ts'

const schema = {
  type: 'object',
  description: 'Where to look',
  properties: {
    mode: { type: 'string', enum: ['fast', 'slow'], description: 'How', default: 'fast' },
    places: {
      type: 'array',
      items: { type: 'object', properties: { lat: { type: 'number', minimum: -90 } }, required: ['lat'] },
    },
  },
  required: ['mode'],
  additionalProperties: false,
}

describe('convertJsonSchemaToOpenAI', () => {
  test('The full dialect leaves the schema unchanged. [S001.9] [C22]', () => {
    const converted = convertJsonSchemaToOpenAI(schema)
    expectTypeOf(converted).toEqualTypeOf<typeof schema>()
    expect(converted).toBe(schema)
    expect(convertJsonSchemaToOpenAI('no schema')).toBe('no schema')
  })

  test('The basic dialect keeps only the listed keywords and reports the lost ones. [S001.9] [C22]', () => {
    const said: Diagnostic[] = []
    const before = JSON.stringify(schema)
    const basic = convertJsonSchemaToOpenAI(schema, {
      dialect: 'basic',
      onDiagnostic: diagnostic => void said.push(diagnostic),
    })
    expect(basic).toEqual({
      type: 'object',
      description: 'Where to look',
      properties: {
        mode: { type: 'string', enum: ['fast', 'slow'], description: 'How' },
        places: {
          type: 'array',
          items: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
        },
      },
      required: ['mode'],
      additionalProperties: false,
    })
    expect(said.map(({ path }) => path.join('.')).sort()).toEqual([
      'properties.mode.default',
      'properties.places.items.properties.lat.minimum',
    ])
    expect(JSON.stringify(schema)).toBe(before)
  })
})
