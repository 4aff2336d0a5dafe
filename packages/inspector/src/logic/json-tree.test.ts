import { describe, expect, test } from 'vitest'
import { peek, searchTree, treeLines, usuallyOpen, valueAt } from './json-tree.ts'

const value = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], empty: {}, 'odd key': [1, null] }

describe('the lines of a tree', () => {
  test('Only what is open has lines, each with its path.', () => {
    const lines = treeLines(value, id => id === '[]' || id === '["messages"]')
    expect(lines.map(({ path }) => path.join('.'))).toEqual([
      '',
      'model',
      'messages',
      'messages.0',
      'empty',
      'odd key',
    ])
    expect(lines.find(({ name }) => name === 'empty')).toMatchObject({ size: 0, isOpen: false })
  })

  test('A large body makes as many lines as are open, whatever is in it.', () => {
    const large = {
      messages: Array.from({ length: 50_000 }, (_, i) => ({ role: 'user', content: [{ text: `t${i}` }] })),
    }
    expect(treeLines(large, (_, depth, size) => usuallyOpen(depth, size))).toHaveLength(2)
    expect(treeLines(large, id => id === '[]' || id === '["messages"]')).toHaveLength(50_002)
  })
})

test('A search finds keys and values, and stops at its limit.', () => {
  expect(searchTree(value, 'hello', 10)).toEqual([['messages', 0, 'content']])
  expect(searchTree(value, 'MESS', 10)).toEqual([['messages']])
  expect(searchTree(value, '', 10)).toEqual([])
  expect(searchTree(Array(100).fill('x'), 'x', 7)).toHaveLength(7)
})

test('The value at a path is found, and nothing that is inherited.', () => {
  expect(valueAt(value, ['messages', 0, 'role'])).toBe('user')
  expect(valueAt(value, ['constructor'])).toBeUndefined()
  expect(valueAt(value, ['model', 0, 0])).toBeUndefined()
})

test('A value on one line is short, however long it is.', () => {
  expect(peek('x'.repeat(1_000_000)).length).toBeLessThan(200)
  expect(peek({ role: 'user', content: 'a' })).toBe('{ user }')
  expect(peek([1, 2])).toBe('[ 2 ]')
})
