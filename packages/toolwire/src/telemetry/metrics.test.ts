import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pass, wholeExchange } from './exchange.test-helper.ts'
import { createMetrics } from './metrics.ts'
import type { ExchangeFacts } from './observer.ts'
import { ObserverBatches } from './observer-batches.ts'

const labels = /^\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\}$/u

/** The samples of an exposition, by name and labels. Throws at what Prometheus would not read. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const typed = new Set<string>()
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('The last line has no end.')
  for (const line of lines) {
    const refuse = (why: string): never => {
      throw new Error(`${why}: ${line}`)
    }
    const type = /^# TYPE ([a-z_]+) (?:counter|gauge|histogram)$/.exec(line)?.[1]
    if (type !== undefined) {
      if (typed.has(type)) refuse('A family comes twice')
      typed.add(type)
    } else if (!/^# HELP [a-z_]+ ./.test(line)) {
      const [, name = '', within = '', value = ''] =
        /^([a-z_]+)((?:\{.*\})?) (\S+)$/su.exec(line) ?? refuse('No sample')
      if (within !== '' && !labels.test(within)) refuse('No labels')
      if (!typed.has(name) && !typed.has(name.replace(/_(?:bucket|sum|count)$/, ''))) refuse('No type')
      if (samples.has(name + within)) refuse('A sample comes twice')
      if (!Number.isFinite(Number(value))) refuse('No number')
      samples.set(name + within, Number(value))
    }
  }
  return samples
}

function measure(...exchanges: readonly Partial<ExchangeFacts>[]): Map<string, number> {
  const { observer, text } = createMetrics()
  for (const facts of exchanges) pass(observer, facts)
  return samplesOf(text())
}

describe('metrics', () => {
  test('Metrics count an exchange.', () => {
    const samples = measure(wholeExchange, wholeExchange)
    const path = 'wire="responses",upstream="local"'
    expect(Object.fromEntries(samples)).toMatchObject({
      [`toolwire_requests_total{route="POST /v1/responses",${path},status="2xx"}`]: 2,
      [`toolwire_exchange_duration_seconds_count{${path}}`]: 2,
      [`toolwire_exchange_duration_seconds_sum{${path}}`]: 2.84,
      [`toolwire_exchange_duration_seconds_bucket{${path},le="1"}`]: 0,
      [`toolwire_exchange_duration_seconds_bucket{${path},le="2.5"}`]: 2,
      [`toolwire_exchange_duration_seconds_bucket{${path},le="+Inf"}`]: 2,
      [`toolwire_first_byte_seconds_bucket{${path},le="0.25"}`]: 2,
      [`toolwire_overhead_seconds_bucket{${path},le="0.0025"}`]: 0,
      [`toolwire_overhead_seconds_bucket{${path},le="0.005"}`]: 2,
      'toolwire_tokens_total{direction="input",upstream="local"}': 2400,
      'toolwire_tokens_total{direction="output",upstream="local"}': 112,
      'toolwire_cache_read_tokens_total{upstream="local"}': 2000,
      toolwire_client_calls_total: 4,
      'toolwire_tool_runs_total{tool="search",outcome="ok"}': 2,
      'toolwire_tool_runs_total{tool="fetch",outcome="timed_out"}': 2,
      'toolwire_tool_run_duration_seconds_sum{tool="fetch"}': 6,
      'toolwire_losses_total{code="field_dropped"}': 2,
      'toolwire_retries_total{upstream="local"}': 2,
      toolwire_abandoned_total: 0,
      toolwire_requests_in_flight: 0,
    })
  })

  test('Metrics distinguish failed requests, failed streams and clients that disconnected.', () => {
    const failure = { code: 'upstream_cut', message: '' }
    const samples = measure(
      { route: 'POST /v1/messages', status: 502, failure },
      { ...wholeExchange, failure },
      { ...wholeExchange, failure: { code: 'client_gone', message: '' }, abandoned: true },
    )
    expect(samples.get('toolwire_failures_total{code="upstream_cut"}')).toBe(1)
    expect(samples.get('toolwire_stream_failures_total{code="upstream_cut"}')).toBe(1)
    expect(samples.get('toolwire_abandoned_total')).toBe(1)
    expect([...samples.keys()].some(key => key.includes('client_gone'))).toBe(false)
  })

  test('The number of requests in flight excludes the scrape itself.', () => {
    const { observer: metrics, text } = createMetrics({ running: () => observer.running() })
    const observer = new ObserverBatches([metrics])
    const exchange = observer.begin({ id: 'a', route: 'POST /v1/responses', at: 0, startedAt: 0 })
    const scrape = observer.begin({ id: 'b', route: 'GET /metrics', at: 0, startedAt: 0 })
    expect(samplesOf(text()).get('toolwire_requests_in_flight')).toBe(1)
    exchange.end()
    exchange.end()
    scrape.end()
    expect(samplesOf(text()).get('toolwire_requests_in_flight')).toBe(0)
  })

  test('Metrics contain the version, the kind of store and the start time.', () => {
    const { text } = createMetrics({ version: '1.2"3\\\n', store: 'sqlite', now: () => 5000 })
    const samples = samplesOf(text())
    const { node } = process.versions
    expect(samples.get(`toolwire_build_info{version="1.2\\"3\\\\\\n",node="${node}"}`)).toBe(1)
    expect(samples.get('toolwire_store_info{kind="sqlite"}')).toBe(1)
    expect(samples.get('toolwire_start_time_seconds')).toBe(5)
  })

  test('The number of series stays bounded whatever names clients and upstreams invent.', () => {
    const { observer, text } = createMetrics()
    for (let i = 0; i < 10_000; i++) {
      pass(observer, {
        ...wholeExchange,
        id: `req_${i}`,
        model: `model-${i}`,
        upstreamModel: `upstream-model-${i}`,
        toolRuns: [{ name: `tool-${i}`, callId: `c${i}`, status: `status-${i}`, durationMs: 1 }],
        failure: { code: `code-${i}`, message: '' },
      })
    }
    const lines = text()
    expect(lines).not.toContain('model-')
    expect(lines).not.toContain('req_')
    const samples = samplesOf(lines)
    expect(samples.size).toBeLessThan(4000)
    expect(samples.get('toolwire_tool_runs_total{tool="other",outcome="other"}')).toBe(9900)
    expect(samples.get('toolwire_stream_failures_total{code="other"}')).toBe(9800)
  })

  test('The text is valid whatever the names are, and each exchange is counted once.', () => {
    const name = fc.string({ unit: 'binary', maxLength: 150 })
    const lone = fc.constantFrom('\ud800', '\udfff', 'a"\\\n', '}')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(name, lone), fc.nat(700_000)), { maxLength: 30 }), exchanges => {
        const samples = measure(
          ...exchanges.map(([upstream, totalMs]) => ({
            ...wholeExchange,
            upstream,
            totalMs,
            toolRuns: [{ name: upstream, callId: 'c', status: upstream, durationMs: totalMs }],
          })),
        )
        const sum = (prefix: string, end = ''): number =>
          [...samples].reduce(
            (all, [key, value]) => (key.startsWith(prefix) && key.endsWith(end) ? all + value : all),
            0,
          )
        expect(sum('toolwire_requests_total')).toBe(exchanges.length)
        expect(sum('toolwire_exchange_duration_seconds_count')).toBe(exchanges.length)
        expect(sum('toolwire_exchange_duration_seconds_bucket', 'le="+Inf"}')).toBe(exchanges.length)
        const quick = exchanges.filter(([, totalMs]) => totalMs <= 30_000).length
        expect(sum('toolwire_exchange_duration_seconds_bucket', 'le="30"}')).toBe(quick)
      }),
    )
  })

  test('Metrics ignore numbers that are negative or not finite.', () => {
    const usage = { input: Number.NaN, output: -5, cacheRead: Number.POSITIVE_INFINITY }
    const samples = measure({ ...wholeExchange, usage, totalMs: Number.NaN, overheadMs: -1 })
    const keys = [...samples.keys()].join('\n')
    expect(keys).not.toMatch(/tokens_total\{|duration_seconds_count\{wire|overhead_seconds_count/)
  })
})
