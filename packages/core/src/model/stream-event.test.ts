import { expect, it } from 'vitest'
import { textDelta } from './stream-event.ts'

it('a delta that was changed no longer claims the letters it came in', () => {
  const delta = textDelta(0, 'a/b', 'a\\/b')
  expect(delta.escapedText).toBe('a\\/b')
  expect({ ...delta, text: 'c' }).toEqual({ type: 'part-delta', index: 0, text: 'c' })
  expect({ ...delta }.escapedText).toBeUndefined()
})
