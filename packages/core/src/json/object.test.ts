import { expect, test } from 'vitest'
import { assignOwn, compact } from './object.ts'

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
