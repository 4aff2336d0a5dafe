import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBeginning } from './json-beginning.ts'

test('The beginning of a JSON text gives what was complete in it.', () => {
  expect(parseBeginning('{"a":[1,2,{"b":"x, y"},{"c":"cut he')).toEqual({ a: [1, 2, { b: 'x, y' }, {}] })
  expect(parseBeginning('{"a":"\\"}","b":1,"c')).toEqual({ a: '"}', b: 1 })
  expect(parseBeginning('[1,2]')).toEqual([1, 2])
  expect(parseBeginning('not json')).toBeUndefined()
})

test('Any beginning of an object or a list can be read, and never throws.', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.nat(),
      (value, at) => {
        const text = JSON.stringify(value)
        expect(parseBeginning(text.slice(0, 1 + (at % text.length)))).toBeDefined()
      },
    ),
  )
})
