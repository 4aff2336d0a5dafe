import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scratchConcat } from './scratch-concat.ts'

it('gives all bytes in their order, however many and however long', () => {
  const chunk = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(40_000).fill(7)))
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 6 }), chunks => {
      expect(Buffer.compare(scratchConcat(chunks), Buffer.concat(chunks))).toBe(0)
    }),
  )
})

it('copies nothing of a chunk that is alone', () => {
  const alone = new Uint8Array([1, 2, 3])
  expect(scratchConcat([alone])).toBe(alone)
})
