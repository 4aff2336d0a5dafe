import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { askedOf, lossesByCode, medianOf, slicesOf } from './charts.ts'

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

test('Losses are counted by code and slice, the most frequent code first.', () => {
  const past = slicesOf(
    [
      at(0, { loss_codes: { field_dropped: 1 } }),
      at(1, { loss_codes: { field_dropped: 1, hosted_tool_dropped: 2 } }),
      at(9, { loss_codes: { hosted_tool_dropped: 1 } }),
    ],
    2,
  )
  expect(lossesByCode(past)).toEqual([
    { code: 'hosted_tool_dropped', counts: [2, 1], total: 3 },
    { code: 'field_dropped', counts: [2, 0], total: 2 },
  ])
})

test('An upstream failed where its stream did or another had to answer, whatever others are called.', () => {
  const summaries = [
    at(0, { upstream: 'gpu', status: 200 }),
    at(1, { upstream: 'gpu', status: 200, failure: 'upstream_cut' }),
    at(2, { upstream: 'backup', status: 200, failed_upstreams: 'old gpu (503), gpu (429)' }),
    at(3, { upstream: 'backup', status: 200, failed_upstreams: 'old gpu (503)' }),
  ]
  expect(askedOf('gpu', summaries)).toEqual({ asked: 3, failed: 2 })
  expect(askedOf('backup', summaries)).toEqual({ asked: 2, failed: 0 })
})

test('A median is the middle, or between the two in the middle.', () => {
  expect([medianOf([]), medianOf([3]), medianOf([1, 3]), medianOf([5, 1, 3])]).toEqual([0, 3, 2, 3])
})
