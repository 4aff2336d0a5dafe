import { expect, test } from 'vitest'
import { withoutPaths } from './without-paths.ts'

test('Members at many paths are left out of a copy, and the value itself is not changed.', () => {
  const body = { a: [{ id: 1, b: 2 }, { id: 3 }, 4], c: { id: 5, d: { id: 6 } }, __proto__: null }
  const paths = [
    ['a', 0, 'id'],
    ['a', 1, 'id'],
    ['c', 'id'],
    ['c', 'd', 'id'],
    ['x', 'y'],
    ['a', 2, 'id'],
  ]
  expect(withoutPaths(body, paths)).toEqual({ a: [{ b: 2 }, {}, 4], c: { d: {} } })
  expect(body.a[0]).toEqual({ id: 1, b: 2 })
  expect(withoutPaths(body, [])).toBe(body)
})

test('A long list is copied once, however many of its items lose something.', () => {
  let reads = 0
  const items = Array.from({ length: 1000 }, (_, id) => ({ id }))
  const watched = new Proxy(items, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key, receiver)
    },
  })
  withoutPaths(
    { watched },
    items.map((_, i) => ['watched', i, 'id']),
  )
  expect(reads).toBe(1000)
})
