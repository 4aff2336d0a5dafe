import { expect, it } from 'vitest'
import { blockSize, createBlockPool } from './block-pool.ts'

it('a block that was given back is taken again, by one who wants its size', () => {
  const pool = createBlockPool(10_000)
  const first = pool.take(1024)
  const other = pool.take(1024)
  expect(other).not.toBe(first)
  pool.release([first])
  expect(pool.take(4096)).not.toBe(first)
  expect(pool.take(1024)).toBe(first)
  expect(pool.take(1024)).not.toBe(first)
})

it('no more is held free than the limit says, and none of an odd size', () => {
  const pool = createBlockPool(2500)
  const blocks = [pool.take(1024), pool.take(1024), pool.take(1024)]
  const odd = pool.take(300)
  pool.release([odd, ...blocks])
  const again = [pool.take(300), pool.take(1024), pool.take(1024), pool.take(1024)]
  expect([odd, ...blocks].filter(block => again.includes(block))).toHaveLength(2)
  expect(again).not.toContain(odd)
})

it('a block holds what is wanted with little to spare, but for the smallest and the largest', () => {
  expect([0, 1, 1024, 1025, 4096, 4097, 20_000, 1e9].map(blockSize)).toEqual([
    1024, 1024, 1024, 1536, 4096, 6144, 24_576, 65_536,
  ])
})

it('blocks of every size that is given out are taken again', () => {
  const pool = createBlockPool(1_000_000)
  for (const wanted of [1, 2000, 3000, 5000, 10_000, 20_000, 50_000]) {
    const block = pool.take(blockSize(wanted))
    pool.release([block])
    expect(pool.take(blockSize(wanted))).toBe(block)
  }
})
