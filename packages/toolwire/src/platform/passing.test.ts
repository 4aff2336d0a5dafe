import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { Passing, type Placed, Queue } from './passing.ts'

const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(200)), { maxLength: 600 })

test('A collection in no order has what was added and not deleted, each once.', () => {
  fc.assert(
    fc.property(steps, given => {
      const passing = new Passing<Placed>()
      const expected = new Set<Placed>()
      const all: Placed[] = []
      for (const [isAdded, which] of given) {
        if (isAdded) {
          const item = { place: -1 }
          all.push(item)
          passing.add(item)
          expected.add(item)
        } else {
          const item = all[which]
          if (item === undefined) continue
          passing.delete(item)
          expected.delete(item)
        }
        expect(passing.size).toBe(expected.size)
      }
      expect(new Set(passing)).toEqual(expected)
    }),
  )
})

test('A queue has what was added and not deleted, in that order, and knows the oldest.', () => {
  fc.assert(
    fc.property(steps, given => {
      const queue = new Queue<number>()
      const expected = new Set<number>()
      for (const [i, [isAdded, which]] of given.entries()) {
        if (isAdded) {
          queue.add(i)
          expected.add(i)
        } else expect(queue.delete(which)).toBe(expected.delete(which))
        const [oldest] = expected
        expect([queue.size, queue.oldest]).toEqual([expected.size, oldest])
      }
      expect([...queue]).toEqual([...expected])
    }),
  )
})

test('A queue whose oldest item stays looks at no more places than it has items, however many went by behind it.', () => {
  const queue = new Queue<object>()
  const stays = {}
  queue.add(stays)
  const indexOf = vi.spyOn(Array.prototype, 'indexOf')
  let longest = 0
  for (let i = 0; i < 10_000; i++) {
    const item = {}
    queue.add(item)
    queue.delete(item)
    longest = Math.max(longest, (indexOf.mock.contexts.at(-1) as unknown[]).length)
    indexOf.mockClear()
  }
  vi.restoreAllMocks()
  expect(longest).toBeLessThan(100)
  expect([...queue]).toEqual([stays])
})
