import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assignOwn, changesNumbers, compact, mapNumbers } from './json.ts'

describe('the numbers of a JSON text', () => {
  test('mapNumbers finds every number outside of strings and changes nothing else.', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const found: string[] = []
        expect(
          mapNumbers(text, token => {
            found.push(token)
            return token
          }),
        ).toBe(text)
        const numbers: number[] = []
        JSON.parse(text, (_, value) => {
          if (typeof value === 'number') numbers.push(value)
          return value
        })
        expect(found.map(Number).sort()).toEqual(numbers.sort())
      }),
    )
  })

  test('mapNumbers replaces numbers and leaves strings alone.', () => {
    expect(mapNumbers('{"1":[-2.5e3,"3\\"4",5]}', token => `<${token}>`)).toBe('{"1":[<-2.5e3>,"3\\"4",<5>]}')
    expect(mapNumbers('"never closed 12', () => 'x')).toBe('"never closed 12')
  })

  test('changesNumbers detects numbers that parsing would change, however long the text.', () => {
    expect(changesNumbers('{"a":12345678901234567890}')).toBe(true)
    expect(changesNumbers('{"a":"12345678901234567890"}')).toBe(false)
    expect(changesNumbers('{"a":1234567890123456}')).toBe(false)
    const long = JSON.stringify({ text: '\\"\n1'.repeat(4_000_000), id: 1 })
    expect(changesNumbers(long)).toBe(false)
    expect(changesNumbers(`[${long},12345678901234567891]`)).toBe(true)
  })
})

test('compact removes undefined members, and __proto__ stays a key.', () => {
  const source: object = JSON.parse('{"a":1,"__proto__":{"b":2}}')
  expect(JSON.stringify(compact({ ...source, c: undefined }))).toBe('{"a":1,"__proto__":{"b":2}}')
  expect(compact({ a: undefined, b: null })).toEqual({ b: null })
})

test('assignOwn copies all members, and __proto__ stays a key.', () => {
  const target = assignOwn({ a: 1, b: 2 }, JSON.parse('{"b":3,"__proto__":{"c":4}}'))
  expect(JSON.stringify(target)).toBe('{"a":1,"b":3,"__proto__":{"c":4}}')
  expect('c' in target).toBe(false)
})
