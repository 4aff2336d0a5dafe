import { expect, test } from 'vitest'
import { failedByRestart } from './lifecycle.ts'

test('a response whose process died says so, and keeps all else', () => {
  const before =
    '{"id":"r1","status":"in_progress","completed_at":7,"error":null,"__proto__":{"polluted":1},"output":[]}'
  const after = JSON.parse(failedByRestart(before))
  expect(after).toMatchObject({ id: 'r1', status: 'failed', error: { code: 'server_restart' }, output: [] })
  expect(after.completed_at).toBeNull()
  expect(after.error.message).toMatch(/Send the request again/)
  expect(Object.getOwnPropertyNames(after)).toContain('__proto__')
})

test.each(['', 'null', '[]', '"text"', '{'])('a text that is no object stays as it is: %j', text => {
  expect(failedByRestart(text)).toBe(text)
})
