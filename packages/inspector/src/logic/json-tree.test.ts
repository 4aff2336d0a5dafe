import { expect, test } from 'vitest'
import { bodyValue, peek, valueAt } from './json-tree.ts'

const value = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], empty: {}, 'odd key': [1, null] }

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

test('Of a body that was cut, the tree has what was kept.', () => {
  const cut = (text: string) => bodyValue({ text: `${text}\n… cut: 9 of 99 bytes are kept`, cut: true })
  expect(cut('{"model":"m","messages":[{"role":"user","content":"He')).toEqual({
    model: 'm',
    messages: [{ role: 'user' }],
  })
  expect(cut('data: {"a":1}\n\nda')).toBeUndefined()
  expect(bodyValue({ text: '{"a":1}', cut: false })).toEqual({ a: 1 })
  expect(bodyValue({ text: '{"a":', cut: false })).toBeUndefined()
})
