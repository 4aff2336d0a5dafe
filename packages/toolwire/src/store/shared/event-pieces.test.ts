import { expect, test } from 'vitest'
import { type EventBatch, eventsFrom } from './event-pieces.ts'

const frames = (...numbers: readonly number[]): string => numbers.map(n => `data: ${n}\n\n`).join('')
const batch = (...numbers: readonly number[]): EventBatch => ({
  first: numbers[0] ?? 0,
  text: frames(...numbers),
})

test('Events are read from any number on, over the batches that they were written in.', () => {
  const batches = [batch(0, 1), batch(2), batch(3, 4)]
  expect(eventsFrom(1, 5, true, batches)).toEqual({ text: frames(1, 2, 3, 4), next: 5, isLast: true })
  expect(eventsFrom(5, 5, true, [])).toEqual({ text: '', next: 5, isLast: true })
})

test('A server that went back to an earlier state has lost some: those before are read, and none is taken for another.', () => {
  const batches = [batch(0, 1), batch(2), batch(7, 8)]
  expect(eventsFrom(1, 9, true, batches)).toEqual({ text: frames(1, 2), next: 3, isLast: false })
  for (const from of [3, 4, 6]) expect(eventsFrom(from, 9, true, batches.slice(1))).toBe('gone')
  expect(eventsFrom(7, 9, true, batches.slice(2))).toEqual({ text: frames(7, 8), next: 9, isLast: true })
})
