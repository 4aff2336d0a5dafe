import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChunkList, scratchConcat } from './bytes.ts'

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

test('A list of chunks gives all bytes in their order, whatever their lengths.', async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.nat(255).map(byte => new Uint8Array(2000).fill(byte)),
    fc.nat(255).map(byte => new Uint8Array(1000).fill(byte)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 400, size: 'max' }), async chunks => {
      const list = new ChunkList()
      for (const each of chunks) list.add(each)
      expect(Buffer.compare(await list.join(), Buffer.concat(chunks))).toBe(0)
    }),
  )
})

test('A body that comes byte by byte takes few pieces of memory, and empty chunks take none.', async () => {
  const list = new ChunkList()
  for (let count = 0; count < 200_000; count++) {
    list.add(Buffer.from('a'))
    list.add(new Uint8Array(0))
  }
  expect(list.pieces).toBeLessThan(100)
  expect(await list.join()).toHaveLength(200_000)
})
