import { expect, test } from 'vitest'
import { BufferPool, bufferSize } from './buffer-pool.ts'

test('The size of a buffer is a little more than what it must hold.', () => {
  expect([0, 1, 1024, 1025, 4096, 4097, 20_000, 100_000].map(bufferSize)).toEqual([
    1024, 1024, 1024, 1536, 4096, 6144, 24_576, 131_072,
  ])
})

test('A released buffer is taken again by the next request for its size.', () => {
  const pool = new BufferPool(1_000_000)
  for (const bytes of [1, 2000, 3000, 5000, 10_000, 20_000, 50_000, 200_000]) {
    const buffer = pool.take(bufferSize(bytes))
    expect(buffer).toHaveLength(bufferSize(bytes))
    pool.release(buffer)
    expect(pool.take(bufferSize(bytes))).toBe(buffer)
    expect(pool.take(bufferSize(bytes))).not.toBe(buffer)
  }
})

test('A pool keeps no more unused bytes than its limit, and no buffer of another size.', () => {
  const pool = new BufferPool(2500)
  const buffers = [pool.take(1024), pool.take(1024), pool.take(1024)]
  const odd = pool.take(300)
  for (const buffer of [odd, ...buffers]) pool.release(buffer)
  const again = [pool.take(300), pool.take(1024), pool.take(1024), pool.take(1024)]
  expect(buffers.filter(buffer => again.includes(buffer))).toHaveLength(2)
  expect(again).not.toContain(odd)
})
