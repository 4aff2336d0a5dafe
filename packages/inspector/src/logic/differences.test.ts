import { expect, test } from 'vitest'
import { differencesOf } from './differences.ts'

test('Two bodies differ at their innermost places, in order.', () => {
  const left = { model: 'a', messages: [{ role: 'user', content: 'Hi' }], stream: true }
  const right = { model: 'b', messages: [{ role: 'user', content: 'Ho' }, { role: 'user' }], seed: null }
  expect(differencesOf(left, right, 10)).toEqual([
    { path: ['model'], left: 'a', right: 'b' },
    { path: ['messages', 0, 'content'], left: 'Hi', right: 'Ho' },
    { path: ['messages', 1], left: undefined, right: { role: 'user' } },
    { path: ['stream'], left: true, right: undefined },
    { path: ['seed'], left: undefined, right: null },
  ])
  expect(differencesOf(left, right, 2)).toHaveLength(2)
  expect(differencesOf(left, structuredClone(left), 10)).toEqual([])
})

test('A list and an object in the same place differ as wholes.', () => {
  expect(differencesOf({ a: [] }, { a: {} }, 10)).toEqual([{ path: ['a'], left: [], right: {} }])
})
