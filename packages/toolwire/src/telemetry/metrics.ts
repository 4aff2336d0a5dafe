/** The gateway's metrics. Values that clients choose freely, such as the model, are never labels. */
import type { Counter, CounterSeries, Distribution, Family, Histogram } from './metric-families.ts'
import {
  createCounter,
  createGauge,
  createHistogram,
  createLabelBound,
  SeriesTree,
} from './metric-families.ts'
import type { ExchangeFacts, FactsObserver } from './observer.ts'
import { isHousekeeping } from './observer.ts'

export interface MetricsOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly version?: string
  /** The kind of the store. */
  readonly store?: string
  /** The exchanges that have not ended. */
  readonly running?: () => Iterable<ExchangeFacts>
}

export interface Metrics {
  readonly observer: FactsObserver
  /** All metrics in Prometheus' text format. */
  text(): string
}

const durationBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const overheadBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]
const none = 'none'
const nothing: readonly never[] = []
const statusClasses = Array.from({ length: 10 }, (_, i) => `${i}xx`)

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const families = createFamilies()
  const count = createCount(families)
  const all = [...createGauges(options), ...Object.values(families)]
  return {
    observer: { ended: count },
    text() {
      const lines: string[] = []
      for (const family of all) family.write(lines)
      return `${lines.join('\n')}\n`
    },
  }
}

function createGauges({
  now = Date.now,
  version = 'unknown',
  store = none,
  running = () => nothing,
}: MetricsOptions): Family[] {
  const began = now() / 1000
  const build = { version, node: process.versions.node }
  return [
    createGauge('toolwire_build_info', 'The running version.', () => 1, build),
    createGauge('toolwire_store_info', 'Where responses are kept.', () => 1, { kind: store }),
    createGauge('toolwire_start_time_seconds', 'When the gateway began, since 1970.', () => began),
    createGauge('toolwire_requests_in_flight', 'Requests being answered, without probes.', () => {
      let count = 0
      for (const facts of running()) if (!isHousekeeping(facts)) count++
      return count
    }),
  ]
}

interface Families {
  readonly requests: Counter
  readonly duration: Histogram
  readonly firstByte: Histogram
  readonly overhead: Histogram
  readonly tokens: Counter
  readonly cachedTokens: Counter
  readonly clientCalls: Counter
  readonly toolRuns: Counter
  readonly toolDuration: Histogram
  readonly losses: Counter
  readonly retries: Counter
  readonly abandoned: Counter
  readonly failures: Counter
  readonly streamFailures: Counter
}

function createFamilies(): Families {
  const counter = (name: string, help: string, ...labels: string[]): Counter =>
    createCounter(`toolwire_${name}_total`, help, labels)
  const seconds = (name: string, help: string, bounds: readonly number[], ...labels: string[]): Histogram =>
    createHistogram(`toolwire_${name}_seconds`, help, labels, bounds)
  const path = ['wire', 'upstream']
  return {
    requests: counter('requests', 'Requests answered.', 'route', ...path, 'status'),
    duration: seconds('exchange_duration', 'From request to end of answer.', durationBounds, ...path),
    firstByte: seconds('first_byte', 'From request to first byte of answer.', durationBounds, ...path),
    overhead: seconds('overhead', 'What of the duration the gateway took.', overheadBounds, ...path),
    tokens: counter('tokens', 'Tokens as upstreams count them.', 'direction', 'upstream'),
    cachedTokens: counter('cache_read_tokens', 'Input tokens read from a cache.', 'upstream'),
    clientCalls: counter('client_calls', 'Tool calls given to clients.'),
    toolRuns: counter('tool_runs', 'Tool calls run by the gateway.', 'tool', 'outcome'),
    toolDuration: seconds('tool_run_duration', 'How long a tool ran.', durationBounds, 'tool'),
    losses: counter('losses', 'What conversions lost or approximated.', 'code'),
    retries: counter('retries', 'Requests sent to an upstream again.', 'upstream'),
    abandoned: counter('abandoned', 'Requests whose client left before the end.'),
    failures: counter('failures', 'Requests answered with an error, by its code.', 'code'),
    streamFailures: counter('stream_failures', 'Answers that failed after their beginning, by code.', 'code'),
  }
}

/** The series of one way through the gateway, found with one search; made when there is something for them. */
interface PathSeries {
  readonly requests: CounterSeries
  duration?: Distribution
  firstByte?: Distribution
  overhead?: Distribution
  input?: CounterSeries
  output?: CounterSeries
  cached?: CounterSeries
}

function createCount(families: Families): (facts: ExchangeFacts) => void {
  const routes = createLabelBound(64)
  const upstreams = createLabelBound(64)
  const tools = createLabelBound(100)
  const outcomes = createLabelBound(16)
  const lossCodes = createLabelBound(200)
  const failureCodes = createLabelBound(200)
  const clientCallCount = families.clientCalls.of([])
  const paths = new SeriesTree<PathSeries>([], labels => ({ requests: families.requests.of(labels) }))
  return facts => {
    const { wire = none, clientCalls, retries, losses, toolRuns, usage } = facts
    const upstream = upstreams(facts.upstream ?? none)
    const path = paths.of([routes(facts.route), wire, upstream, statusClass(facts)])
    path.requests.add(1)
    if (clientCalls !== undefined) clientCallCount.add(clientCalls.length)
    if (retries !== undefined) families.retries.add([upstream], retries)
    for (const { code } of losses ?? nothing) families.losses.add([lossCodes(code)])
    for (const { name, status, durationMs } of toolRuns ?? nothing) {
      families.toolRuns.add([tools(name), outcomes(status)])
      families.toolDuration.observe([tools(name)], durationMs / 1000)
    }
    if (usage !== undefined) {
      if (usage.input > 0) {
        path.input ??= families.tokens.of(['input', upstream])
        path.input.add(usage.input)
      }
      if (usage.output > 0) {
        path.output ??= families.tokens.of(['output', upstream])
        path.output.add(usage.output)
      }
      if (isCount(usage.cacheRead) && usage.cacheRead > 0) {
        path.cached ??= families.cachedTokens.of([upstream])
        path.cached.add(usage.cacheRead)
      }
    }
    countFailure(facts, families, failureCodes)
    if (facts.wire !== undefined) measure(facts, path, families, upstream)
  }
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && Number.isFinite(value)
}

function measure(
  { wire = none, totalMs, firstByteMs, overheadMs }: ExchangeFacts,
  path: PathSeries,
  families: Families,
  upstream: string,
): void {
  if (isCount(totalMs)) {
    path.duration ??= families.duration.of([wire, upstream])
    path.duration.observe(totalMs / 1000)
  }
  if (isCount(firstByteMs)) {
    path.firstByte ??= families.firstByte.of([wire, upstream])
    path.firstByte.observe(firstByteMs / 1000)
  }
  if (isCount(overheadMs)) {
    path.overhead ??= families.overhead.of([wire, upstream])
    path.overhead.observe(overheadMs / 1000)
  }
}

/** A client that disconnected is not a failure of the gateway, and has its own counter. */
function countFailure(facts: ExchangeFacts, families: Families, codes: (code: string) => string): void {
  const { abandoned, failure, status = 0 } = facts
  if (abandoned) families.abandoned.add([])
  else if (failure !== undefined) {
    const family = status >= 200 && status < 400 ? families.streamFailures : families.failures
    family.add([codes(failure.code)])
  }
}

function statusClass({ status, abandoned }: ExchangeFacts): string {
  // The same texts again and again, because a new one takes longer to look up.
  if (status !== undefined) return statusClasses[Math.floor(status / 100)] ?? none
  return abandoned ? 'abandoned' : none
}
