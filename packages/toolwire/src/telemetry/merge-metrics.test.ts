import { expect, test } from 'vitest'
import { mergeMetrics } from './merge-metrics.ts'
import { createCounter, createGauge, createHistogram } from './metric-families.ts'

interface Process {
  readonly requests: Readonly<Record<string, number>>
  readonly seconds: readonly number[]
  readonly inFlight: number
  readonly began: number
}

function textOf({ requests, seconds, inFlight, began }: Process): string {
  const counter = createCounter('toolwire_requests_total', 'Requests "answered".', ['route'])
  for (const [route, count] of Object.entries(requests)) counter.add([route], count)
  const histogram = createHistogram('toolwire_seconds', 'How long.', ['wire'], [0.5, 1])
  for (const value of seconds) histogram.observe(['chat'], value)
  const gauges = [
    createGauge('toolwire_build_info', 'Which.', () => 1, { version: '1 2' }),
    createGauge('toolwire_start_time_seconds', 'When.', () => began),
    createGauge('toolwire_requests_in_flight', 'Now.', () => inFlight),
  ]
  const lines: string[] = []
  for (const family of [...gauges, counter, histogram]) family.write(lines)
  return `${lines.join('\n')}\n`
}

const one = { requests: { 'POST /v1/a b': 3, only: 1 }, seconds: [0.25, 2], inFlight: 2, began: 100 }
const other = { requests: { 'POST /v1/a b': 4, 'else "x"': 2 }, seconds: [0.75], inFlight: 5, began: 90 }

test('The metrics of one process are what they were.', () => {
  expect(mergeMetrics([{ text: textOf(one) }])).toBe(textOf(one))
})

test('Counters and histograms of several processes are added up, series by series.', () => {
  const both = {
    requests: { 'POST /v1/a b': 7, only: 1, 'else "x"': 2 },
    seconds: [0.25, 2, 0.75],
    inFlight: 7,
    began: 90,
  }
  expect(mergeMetrics([{ text: textOf(one) }, { text: textOf(other) }])).toBe(textOf(both))
})

test('What a process counted that has ended stays, and what it was doing does not.', () => {
  const merged = mergeMetrics([{ text: textOf(one) }, { text: textOf(other), departed: true }])
  expect(merged).toContain('toolwire_requests_total{route="POST /v1/a b"} 7')
  expect(merged).toContain('toolwire_seconds_count{wire="chat"} 3')
  expect(merged).toContain('toolwire_requests_in_flight 2')
  expect(merged).toContain('toolwire_start_time_seconds 100')
})
