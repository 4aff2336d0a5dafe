import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeJson, jsonString } from './json-string.ts'

test('jsonString and escapeJson write the same as JSON.stringify, also for lone surrogates.', () => {
  const anyCodes = fc.array(fc.integer({ min: 0, max: 0xffff })).map(codes => String.fromCharCode(...codes))
  fc.assert(
    fc.property(fc.oneof(anyCodes, fc.string({ unit: 'binary' })), text => {
      expect(jsonString(text)).toBe(JSON.stringify(text))
      expect(`"${escapeJson(text)}"`).toBe(JSON.stringify(text))
    }),
  )
})
