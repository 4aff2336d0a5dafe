import { expect, test } from 'vitest'
import type { Trace, TracePart } from '../../../toolwire/src/telemetry/trace-document.ts'
import { ticks, timelineOf } from './timeline.ts'

const part = (at_ms: number, event_times_ms?: number[]): TracePart => ({
  text: '',
  size: 0,
  cut: false,
  at_ms,
  ...(event_times_ms && { event_times_ms }),
})
const view = (...parts: TracePart[]) => ({ parts, omitted: 0 })

const trace = {
  summary: { state: 'ended', total_ms: 100, overhead_ms: 5, first_byte_ms: 22 },
  tool_runs: [{ name: 'search', call_id: 'c', status: 'ok', duration_ms: 30, at_ms: 40 }],
  retry_times_ms: [12],
  views: {
    'client-request': view(part(0)),
    'upstream-request': view(part(3), part(72)),
    'upstream-answer': view(part(20, [21, 25, 39]), part(80, [85, 98])),
    'client-answer': view(part(22, [22, 98])),
  },
} as unknown as Trace

test('A timeline has the gateway’s, the upstream’s and the tools’ time, round by round.', () => {
  const found = timelineOf(trace)
  expect(found?.bars.map(({ lane, from, to }) => [lane, from, to])).toEqual([
    ['gateway', 0, 3],
    ['upstream', 3, 20],
    ['upstream', 20, 39],
    ['gateway', 70, 72],
    ['upstream', 72, 80],
    ['upstream', 80, 98],
    ['tool', 40, 70],
    ['gateway', 98, 100],
  ])
  expect(found).toMatchObject({ end: 100, ownMs: 5, firstTokenMs: 22, retries: [12] })
  expect(found?.dots.map(({ times }) => times.length)).toEqual([5, 2])
})

test('A trace without times has no timeline.', () => {
  expect(timelineOf({ ...trace, views: {} } as Trace)).toBeUndefined()
})

test('The scale has round numbers, with room for the last one.', () => {
  expect(ticks(100, 5)).toEqual([0, 20, 40, 60, 80])
  expect(ticks(0.7, 4)).toHaveLength(4)
})
