import { describe, expect, expectTypeOf, it } from 'vitest'
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
  it('[S001.9][C22] preserves all the seed does, and the rest, by leaving the schema alone', () => {
    const converted = convertJsonSchemaToOpenAI(schema)
    expectTypeOf(converted).toEqualTypeOf<typeof schema>()
    expect(converted).toBe(schema)
    expect(convertJsonSchemaToOpenAI('no schema')).toBe('no schema')
  })

  it('[S001.9][C22] cuts down to the seed whitelist only when asked to, and says what is lost', () => {
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
