import { expect, test } from 'vitest'
import { textDelta } from './stream-event.ts'

test('A copy of a delta drops its escaped text.', () => {
  const delta = textDelta(0, 'a/b', 'a\\/b')
  expect(delta.escapedText).toBe('a\\/b')
  expect({ ...delta, text: 'c' }).toEqual({ type: 'part-delta', index: 0, text: 'c' })
  expect({ ...delta }.escapedText).toBeUndefined()
})
