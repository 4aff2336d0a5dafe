import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/trace-document.ts'
import { medianOf, slicesOf } from './charts.ts'

const at = (seconds: number, more: Partial<TraceSummary> = {}) =>
  ({
    time: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
    losses: 0,
    abandoned: false,
    ...more,
  }) as TraceSummary

test('The past is cut into equal slices with their sums.', () => {
  const slices = slicesOf(
    [at(0, { total_ms: 10, status: 500 }), at(1, { total_ms: 30, input_tokens: 5 }), at(9, { losses: 2 })],
    2,
  )
  expect(
    slices.map(({ requests, failures, losses, input, median }) => [
      requests,
      failures,
      losses,
      input,
      median,
    ]),
  ).toEqual([
    [2, 1, 0, 5, 20],
    [1, 0, 2, 0, 0],
  ])
  expect(slicesOf([], 5)).toEqual([])
})

test('A median is the middle, or between the two in the middle.', () => {
  expect([medianOf([]), medianOf([3]), medianOf([1, 3]), medianOf([5, 1, 3])]).toEqual([0, 3, 2, 3])
})
