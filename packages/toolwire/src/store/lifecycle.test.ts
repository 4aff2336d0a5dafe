import { expect, test } from 'vitest'
import { failedByRestart } from './lifecycle.ts'

test('A response whose process died becomes failed, and its other fields stay.', () => {
  const before =
    '{"id":"r1","status":"in_progress","completed_at":7,"error":null,"__proto__":{"polluted":1},"output":[]}'
  const after = JSON.parse(failedByRestart(before))
  expect(after).toMatchObject({ id: 'r1', status: 'failed', error: { code: 'server_restart' }, output: [] })
  expect(after.completed_at).toBeNull()
  expect(after.error.message).toMatch(/Send the request again/)
  expect(Object.getOwnPropertyNames(after)).toContain('__proto__')
})

test.each(['', 'null', '[]', '"text"', '{'])('The text %j, which is not an object, is not changed.', text => {
  expect(failedByRestart(text)).toBe(text)
})
