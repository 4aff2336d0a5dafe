/** Exchanges back from files. */
import { isObject, parseJson } from '@toolwire/core/json'
import type { ViewName } from '../../../toolwire/src/telemetry/observer.ts'
import type { Trace, TraceView } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import type { ExchangeDocument } from '../state/api.ts'

/**
 * Whatever was exported, or HAR of another program. Traces without a reading have yet to be read. `at`: when what has no time of its
 * own is taken to have been.
 */
export function fromFile(
  text: string,
  at: string = new Date().toISOString(),
): (ExchangeDocument | { readonly trace: Trace })[] {
  const embedded = /<script type="application\/json" id="toolwire-documents">([\s\S]*?)<\/script>/.exec(
    text,
  )?.[1]
  if (embedded !== undefined)
    return (JSON.parse(embedded) as unknown[]).flatMap(value => documentsIn(value, at))
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const values = isLines(text) ? lines.map(parseJson) : [parseJson(text)]
  return values.flatMap(value => documentsIn(value, at))
}

function isLines(text: string): boolean {
  const [first = ''] = text.split('\n', 1)
  return isObject(parseJson(first))
}

function documentsIn(value: unknown, at: string): (ExchangeDocument | { readonly trace: Trace })[] {
  if (isObject(value)) {
    const { trace, reading, log } = value
    // Whatever else is in it is read anew from the trace.
    if (isTrace(trace)) return [isReading(reading) ? { trace, reading } : { trace }]
    if (isTrace(value)) return [{ trace: value }]
    if (isObject(log) && Array.isArray(log.entries))
      return (log.entries as HarEntry[]).map(entry => ({ trace: entry._toolwire ?? traceOfHar(entry) }))
    if ('from' in value && 'request' in value) return [{ trace: traceOfFixture(value as Fixture, at) }]
  }
  throw new Error(
    'The file has no exchange in it: it must be HAR, JSON lines, a fixture, a trace, or an exported page.',
  )
}

function isTrace(value: unknown): value is Trace {
  return isObject(value) && isObject(value.summary) && 'id' in value.summary && isObject(value.views)
}

function isReading(value: unknown): value is ExchangeDocument['reading'] {
  if (!isObject(value)) return false
  const { conversation, request, answer, explanations } = value
  return [conversation, request, answer, explanations].every(isObject)
}

interface HarEntry {
  readonly _toolwire?: Trace
  readonly startedDateTime: string
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: HarHeader[]
    readonly postData?: { readonly text?: string }
  }
  readonly response: {
    readonly status: number
    readonly headers: HarHeader[]
    readonly content: { readonly text?: string; readonly encoding?: string }
  }
  readonly timings?: { readonly wait?: number }
}

type HarHeader = { readonly name: string; readonly value: string }

/** Of another program: only the side that it saw. */
function traceOfHar({ startedDateTime, time, request, response, timings }: HarEntry): Trace {
  const path = new URL(request.url, 'http://nowhere.invalid').pathname
  const wire = wireByPath.find(([end]) => path.endsWith(end))?.[1]
  const part = (line: string, headers: HarHeader[], text = ''): TraceView =>
    viewOf(line, text, Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])))
  const summary = {
    ...noFacts,
    time: startedDateTime,
    id: `har_${hash(startedDateTime + request.url + (request.postData?.text ?? ''))}`,
    route: `${request.method} ${path}`,
    status: response.status,
    ...(wire !== undefined && { wire, upstream_wire: wire }),
    ...(timings?.wait !== undefined && { first_byte_ms: timings.wait }),
    total_ms: time,
  }
  const views = {
    'client-request': part(`${request.method} ${path}`, request.headers, request.postData?.text),
    'client-answer': part(String(response.status), response.headers, textIn(response.content)),
  }
  return { summary, client_calls: [], tool_runs: [], losses: [], views }
}

/** Some programs write all bodies so, or those that they take for no text, such as streams. */
function textIn({ text, encoding }: HarEntry['response']['content']): string | undefined {
  if (text === undefined || encoding !== 'base64') return text
  return new TextDecoder().decode(Uint8Array.from(atob(text), char => char.charCodeAt(0)))
}

interface Fixture {
  readonly from?: string
  readonly to?: string
  readonly model?: string
  readonly request?: Sides
  readonly answer?: Sides
  readonly losses?: Trace['losses']
}
type Sides = { readonly client?: unknown; readonly upstream?: unknown }

/** A fixture has no times and no headers. */
function traceOfFixture({ from, to, model, request, answer, losses = [] }: Fixture, at: string): Trace {
  const path = (wire: string | undefined): string =>
    `/v1${wireByPath.find(([, name]) => name === wire)?.[0] ?? ''}`
  const sides = [
    ['client-request', `POST ${path(from)}`, request?.client],
    ['upstream-request', `POST ${path(to)}`, request?.upstream],
    ['upstream-answer', '200', answer?.upstream],
    ['client-answer', '200', answer?.client],
  ] as const
  const views: { [name in ViewName]?: TraceView } = {}
  for (const [name, line, body] of sides) {
    if (body !== undefined) views[name] = viewOf(line, JSON.stringify(body))
  }
  const summary = {
    ...noFacts,
    time: at,
    id: `fixture_${hash(JSON.stringify([from, to, request, answer]))}`,
    route: `POST ${path(from)}`,
    status: 200,
    wire: from,
    upstream_wire: to,
    model,
    losses: losses.length,
  }
  return { summary, client_calls: [], tool_runs: [], losses, views }
}

function viewOf(line: string, text: string, headers: Readonly<Record<string, string>> = {}): TraceView {
  return { parts: [{ line, headers, text, size: text.length, cut: false }], omitted: 0 }
}

const noFacts = {
  client_calls: 0,
  tool_runs: 0,
  tool_failures: 0,
  losses: 0,
  retries: 0,
  abandoned: false,
  state: 'ended',
} as const

const wireByPath = [
  ['/chat/completions', 'chat'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
] as const

function hash(text: string): string {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0
  return (sum >>> 0).toString(36)
}
