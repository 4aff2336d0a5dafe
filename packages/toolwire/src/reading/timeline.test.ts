import { expect, test } from 'vitest'
import type { Trace, TracePart } from '../telemetry/traces/trace-document.ts'
import { readTimeline } from './timeline.ts'

const part = (at_ms: number, end_ms = at_ms, event_times_ms?: number[]): TracePart => ({
  text: '',
  size: 0,
  cut: false,
  at_ms,
  end_ms,
  ...(event_times_ms && { event_times_ms }),
})
const view = (...parts: TracePart[]) => ({ parts, omitted: 0 })

/** Two rounds: the first is asked of `first`, again, then of `second`; two tools run side by side before the second. */
const trace = {
  summary: { state: 'ended', total_ms: 200, overhead_ms: 16 },
  attempts: [
    { upstream: 'first', round: 1, at_ms: 3, connected_ms: 8, ended_ms: 20, status: 503 },
    { upstream: 'first', round: 1, at_ms: 40, ended_ms: 45, failure: 'upstream_unreachable' },
    { upstream: 'second', round: 1, at_ms: 47, ended_ms: 60, status: 200 },
    { upstream: 'second', round: 2, at_ms: 140, ended_ms: 150, status: 200 },
  ],
  tool_runs: [
    { name: 'search', call_id: 'a', status: 'ok', duration_ms: 30, at_ms: 100 },
    { name: 'read', call_id: 'b', status: 'error', duration_ms: 38, at_ms: 100 },
  ],
  losses: [],
  views: {
    'client-request': view(part(1)),
    'upstream-request': view(part(2), part(46), part(139)),
    'upstream-answer': view(part(60.01, 99, [61, 99]), part(150, 198, [155, 198])),
    'client-answer': view(part(62, 199)),
  },
} as unknown as Trace

const found = readTimeline(trace)

test('A timeline has guard, conversion, connecting, waiting, answers, pauses and tools, each with its upstream and attempt.', () => {
  expect(
    found?.steps.map(({ who, what, name, from, to, round, attempt, failure }) =>
      [who, what, name, round, attempt, `${from}–${to}`, failure]
        .filter(word => word !== undefined)
        .join(' '),
    ),
  ).toEqual([
    'gateway guard 0–1',
    'gateway conversion 1–3',
    'upstream connect first 1 1 3–8',
    'upstream wait first 1 1 8–20 503',
    'upstream pause first 1 1 20–40',
    'upstream wait first 1 2 40–45 upstream_unreachable',
    'gateway conversion 45–47',
    'upstream wait second 1 3 47–60',
    'upstream answer second 1 3 60–99',
    'gateway events 60–198',
    'gateway other 99–100',
    'tool tool search 100–130',
    'tool tool read 100–138 error',
    'gateway conversion 138–140',
    'upstream wait second 2 1 140–150',
    'upstream answer second 2 1 150–198',
    'gateway end 198–200',
  ])
  expect(found?.first_event).toBe(61)
})

test('The sums of a timeline are those of its steps, the gateway’s is what it reported, and all of them are the whole.', () => {
  const { sums, steps = [], end } = found ?? {}
  const took = (...whats: string[]): number =>
    steps.filter(({ what }) => whats.includes(what)).reduce((all, step) => all + step.took, 0)
  expect(sums?.gateway).toBe(16)
  expect(took('guard', 'conversion', 'other', 'events', 'end')).toBeCloseTo(16)
  expect(sums?.upstream).toBeCloseTo(took('connect', 'wait', 'answer'), 1)
  expect(sums?.pauses).toBe(took('pause'))
  // Side by side, the longer one counts.
  expect(sums?.tool).toBe(38)
  const { gateway = 0, upstream = 0, tool = 0, pauses = 0 } = sums ?? {}
  expect(gateway + upstream + tool + pauses).toBeCloseTo(end ?? 0)
})

test('An exchange that no upstream was asked in is the gateway’s own, and one without times has no timeline.', () => {
  const alone = { ...trace, attempts: undefined, tool_runs: [], views: { 'client-request': view(part(1)) } }
  expect(readTimeline(alone as unknown as Trace)).toMatchObject({
    end: 200,
    sums: { gateway: 200, upstream: 0, tool: 0, pauses: 0 },
  })
  expect(readTimeline({ ...trace, attempts: undefined, views: {} } as unknown as Trace)).toBeUndefined()
})
