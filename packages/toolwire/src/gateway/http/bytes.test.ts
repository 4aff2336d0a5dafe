import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchConcat } from './bytes.ts'

test('Joined chunks hold all bytes in their order, however many and however long they are.', () => {
  const chunk = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(40_000).fill(7)))
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 6 }), chunks => {
      expect(Buffer.compare(scratchConcat(chunks), Buffer.concat(chunks))).toBe(0)
    }),
  )
})

test('A chunk that is alone is not copied.', () => {
  const alone = new Uint8Array([1, 2, 3])
  expect(scratchConcat([alone])).toBe(alone)
})
