import { expect, it } from 'vitest'
import { blockSize, createBlockPool } from './block-pool.ts'

it('a block that was given back is taken again, by one who wants its size', () => {
  const pool = createBlockPool(10_000)
  const first = pool.take(1024)
  const other = pool.take(1024)
  expect(other).not.toBe(first)
  pool.give([first])
  expect(pool.take(4096)).not.toBe(first)
  expect(pool.take(1024)).toBe(first)
  expect(pool.take(1024)).not.toBe(first)
})

it('no more is held free than the limit says, and none of an odd size', () => {
  const pool = createBlockPool(2500)
  const blocks = [pool.take(1024), pool.take(1024), pool.take(1024)]
  const odd = pool.take(300)
  pool.give([odd, ...blocks])
  const again = [pool.take(300), pool.take(1024), pool.take(1024), pool.take(1024)]
  expect([odd, ...blocks].filter(block => again.includes(block))).toHaveLength(2)
  expect(again).not.toContain(odd)
})

it('sizes never pass what is wanted, but for the smallest', () => {
  expect([0, 1, 1024, 4095, 4096, 20_000, 1e9].map(blockSize)).toEqual([
    1024, 1024, 1024, 1024, 4096, 16_384, 65_536,
  ])
})
