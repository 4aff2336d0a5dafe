import { expect, test } from 'vitest'
import type { Timeline, TimelineStep } from '../../../toolwire/src/reading/timeline.ts'
import { dotPath, firstToken, hasAttempts, lanesOf, roundStarts, stepText, ticks } from './timeline.ts'

const step = (who: TimelineStep['who'], what: TimelineStep['what'], more: object = {}): TimelineStep => ({
  who,
  what,
  from: 0,
  to: 1,
  took: 1,
  ...more,
})
const timeline = {
  steps: [
    step('gateway', 'guard'),
    step('upstream', 'wait', { name: 'a', round: 1, attempt: 1, failure: '503', from: 1 }),
    step('upstream', 'wait', { name: 'b', round: 1, attempt: 2, from: 2 }),
    step('gateway', 'events', { from: 2 }),
    step('tool', 'tool', { name: 'search', from: 3 }),
    step('tool', 'tool', { name: 'search', from: 3 }),
    step('upstream', 'wait', { name: 'b', round: 2, attempt: 1, from: 9 }),
  ],
} as unknown as Timeline

test('Each upstream has a line, and each run of a tool, so that those side by side stand below each other.', () => {
  expect(lanesOf(timeline).map(({ name, steps }) => [name, steps.length])).toEqual([
    ['Gateway', 1],
    ['a', 1],
    ['b', 2],
    ['search', 1],
    ['search', 1],
  ])
})

test('Rounds begin where the upstream is first asked in them, and one alone is not marked.', () => {
  expect(roundStarts(timeline)).toEqual([
    { round: 1, at: 1 },
    { round: 2, at: 9 },
  ])
  expect(roundStarts({ ...timeline, steps: timeline.steps.slice(0, 2) })).toEqual([])
})

test('A step names its attempt where there were several, and why it failed.', () => {
  expect(hasAttempts(timeline)).toBe(true)
  const [, failed] = timeline.steps
  expect(failed && stepText(failed, true)).toBe('attempt 1: waiting for the answer, failed with 503')
  expect(failed && stepText(failed, false)).toBe('waiting for the answer, failed with 503')
  expect(
    stepText({ who: 'tool', what: 'tool', name: 'look', failure: 'failed', from: 0, to: 1, took: 1 }, false),
  ).toBe('look, failed')
})

test('The scale has round numbers, with room for the last one.', () => {
  expect(ticks(100, 5)).toEqual([0, 20, 40, 60, 80])
  expect(ticks(0.7, 4)).toHaveLength(4)
})

test('Every event has its place in the path of dots, and those at one place are one.', () => {
  const times = Array.from({ length: 5000 }, (_, i) => i)
  expect(dotPath(times, 5000).split('M')).toHaveLength(5001)
  expect(dotPath([0, 0.0001, 5, 10], 10)).toBe('M0 8h0M500 8h0M1000 8h0')
  expect(
    dotPath(
      Array.from({ length: 100_000 }, (_, i) => i / 10),
      10_000,
    ).length,
  ).toBeLessThan(120_000)
})

test.each([
  [
    'Chat',
    ['{"choices":[{"delta":{"role":"assistant","content":""}}]}', '{"choices":[{"delta":{"content":"Hi"}}]}'],
  ],
  [
    'Chat with a call',
    [
      '{"choices":[{"delta":{"role":"assistant","content":null}}]}',
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}',
    ],
  ],
  ['Responses', ['{"type":"response.created"}', '{"type":"response.output_text.delta","delta":"Hi"}']],
  [
    'Messages',
    [
      '{"type":"message_start","message":{"content":[]}}',
      '{"type":"content_block_delta","delta":{"text":"Hi"}}',
    ],
  ],
])('The first token of %s is the first event that brings something of the model.', (_, events) => {
  const text = events.map(data => `data: ${data}\n\n`).join('')
  const part = { text, event_times_ms: [10, 25], size: 1, cut: false }
  expect(firstToken([part])).toBe(25)
  expect(firstToken([{ ...part, text: `data: ${events[0]}\n\n`, event_times_ms: [10] }])).toBeUndefined()
})
