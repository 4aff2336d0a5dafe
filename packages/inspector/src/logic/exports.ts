/** Exchanges as files that open again: HAR, JSON lines, a fixture, one HTML file; and back from them. */
import type { ViewName } from '../../../toolwire/src/telemetry/observer.ts'
import type {
  Trace,
  TracePart,
  TraceSummary,
  TraceView,
} from '../../../toolwire/src/telemetry/trace-document.ts'
import type { ExchangeDocument } from '../state/api.ts'

/** What can be left out of a file that others will read. */
export const blankings = {
  headers: 'header values',
  system: 'instructions',
  user: 'what the user said',
  results: 'results of tools',
  answer: 'what the model wrote',
} as const
export type Blanking = keyof typeof blankings

const blank = '█ blanked'
/** What looks like a key, beside those that the gateway has masked. */
const keyLike = /\b(?:sk|pk|rk|tw|ghp|gho|xox[abp]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16,}\b/g

/** The document without what is to be blanked, and without anything that looks like a key. */
export function cleaned(document: ExchangeDocument, chosen: ReadonlySet<Blanking>): ExchangeDocument {
  const texts = blankedTexts(document, chosen)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value, texts)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clean(member)]))
  }
  const { trace, reading } = document
  const views: { [name in ViewName]?: TraceView } = {}
  for (const [name, view] of Object.entries(trace.views) as [ViewName, TraceView][]) {
    views[name] = { ...view, parts: view.parts.map(part => cleanPart(part, chosen, texts, clean)) }
  }
  return {
    trace: { ...(clean({ ...trace, views: {} }) as Trace), views },
    reading: clean(reading) as typeof reading,
  }
}

function blankedTexts({ reading }: ExchangeDocument, chosen: ReadonlySet<Blanking>): ReadonlySet<string> {
  const { history, answer } = reading.conversation
  const kinds = { system: 'system', user: 'user', results: 'result' } as const
  const texts = new Set<string>()
  for (const said of [...history, ...answer]) {
    const isChosen = (['system', 'user', 'results'] as const).some(
      name => chosen.has(name) && said.who === kinds[name],
    )
    const isAnswer = chosen.has('answer') && ['assistant', 'thinking', 'call', 'refusal'].includes(said.who)
    if ((isChosen || isAnswer) && said.text !== '') texts.add(said.text)
  }
  return texts
}

function cleanText(text: string, texts: ReadonlySet<string>): string {
  if (texts.has(text)) return blank
  // A prompt in the list is the beginning of what was said.
  for (const each of texts) {
    if (
      text.length > 20 &&
      (each.replaceAll(/\s+/g, ' ').startsWith(text.replace(/…$/, '')) || text.includes(each))
    )
      return blank
  }
  return text.replace(keyLike, '***')
}

function cleanPart(
  part: TracePart,
  chosen: ReadonlySet<Blanking>,
  texts: ReadonlySet<string>,
  clean: (value: unknown) => unknown,
): TracePart {
  const headers = chosen.has('headers')
    ? Object.fromEntries(Object.keys(part.headers ?? {}).map(name => [name, blank]))
    : part.headers
  return { ...part, ...(headers !== undefined && { headers }), text: cleanBody(part.text, texts, clean) }
}

function cleanBody(text: string, texts: ReadonlySet<string>, clean: (value: unknown) => unknown): string {
  if (texts.size === 0) return text.replace(keyLike, '***')
  try {
    return JSON.stringify(clean(JSON.parse(text)))
  } catch {
    // A stream has its texts in pieces that cannot be found again.
    return `${blank}: ${text.length} characters of a stream or of a body that was cut`
  }
}

export function toJsonLines(documents: readonly ExchangeDocument[]): string {
  return documents.map(document => `${JSON.stringify(document)}\n`).join('')
}

/** One entry for the client's side, with the whole trace beside it. */
export function toHar(documents: readonly ExchangeDocument[], version: string): string {
  const entries = documents.map(({ trace }) => {
    const { summary, views } = trace
    const [asked, answered] = [views['client-request']?.parts[0], views['client-answer']?.parts.at(-1)]
    const [method = 'POST', url = '/'] = (asked?.line ?? '').split(' ')
    return {
      startedDateTime: summary.time,
      time: summary.total_ms ?? 0,
      request: {
        method,
        url: `http://toolwire.invalid${url}`,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairsOf(asked?.headers),
        queryString: [],
        postData: { mimeType: 'application/json', text: asked?.text ?? '' },
        headersSize: -1,
        bodySize: asked?.size ?? -1,
      },
      response: {
        status: summary.status ?? 0,
        statusText: '',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: pairsOf(answered?.headers),
        content: {
          size: answered?.size ?? 0,
          mimeType: answered?.headers?.['content-type'] ?? 'application/json',
          text: answered?.text ?? '',
        },
        redirectURL: '',
        headersSize: -1,
        bodySize: answered?.size ?? -1,
      },
      cache: {},
      timings: {
        send: 0,
        wait: summary.first_byte_ms ?? 0,
        receive: Math.max(0, (summary.total_ms ?? 0) - (summary.first_byte_ms ?? 0)),
      },
      _toolwire: trace,
    }
  })
  return JSON.stringify(
    { log: { version: '1.2', creator: { name: 'toolwire inspector', version }, entries } },
    null,
    2,
  )
}

function pairsOf(headers: Readonly<Record<string, string>> = {}): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

/** What a test needs: the client's request, and what the upstream was sent and answered. */
export function toFixture({ trace, reading }: ExchangeDocument): string {
  const { wire, upstream_wire: upstreamWire, model } = trace.summary
  return JSON.stringify(
    {
      from: wire,
      to: upstreamWire,
      model,
      request: reading.request,
      answer: reading.answer,
      losses: trace.losses,
    },
    null,
    2,
  )
}

/** Whatever of the above a file is. Traces without a reading have yet to be read. */
export function fromFile(text: string): (ExchangeDocument | { readonly trace: Trace })[] {
  const embedded = /<script type="application\/json" id="toolwire-documents">([\s\S]*?)<\/script>/.exec(
    text,
  )?.[1]
  if (embedded !== undefined) return JSON.parse(embedded) as ExchangeDocument[]
  const values =
    text.trimStart().startsWith('{') && isLines(text)
      ? text
          .split('\n')
          .filter(line => line.trim() !== '')
          .map(line => JSON.parse(line))
      : [JSON.parse(text)]
  return values.flatMap(documentsIn)
}

function isLines(text: string): boolean {
  try {
    JSON.parse(text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n')))
    return true
  } catch {
    return false
  }
}

function documentsIn(value: unknown): (ExchangeDocument | { readonly trace: Trace })[] {
  if (typeof value !== 'object' || value === null) throw new Error('The file has no exchange in it.')
  if ('trace' in value) return [value as ExchangeDocument]
  if ('summary' in value && 'views' in value) return [{ trace: value as Trace }]
  if ('log' in value)
    return (value as { log: { entries: HarEntry[] } }).log.entries.map(entry => ({
      trace: entry._toolwire ?? traceOfHar(entry),
    }))
  throw new Error('The file has no exchange in it: it must be HAR, JSON lines, a trace, or an exported page.')
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
    readonly content: { readonly text?: string }
  }
}

type HarHeader = { readonly name: string; readonly value: string }

/** Of another program: only the side that it saw. */
function traceOfHar({ startedDateTime, time, request, response }: HarEntry): Trace {
  const path = new URL(request.url, 'http://nowhere.invalid').pathname
  const wire = wireByPath.find(([end]) => path.endsWith(end))?.[1]
  const part = (line: string, headers: HarHeader[], text = ''): TraceView => ({
    parts: [
      {
        line,
        headers: Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
        text,
        size: text.length,
        cut: false,
      },
    ],
    omitted: 0,
  })
  const summary: TraceSummary = {
    time: startedDateTime,
    id: `har_${hash(startedDateTime + request.url + (request.postData?.text ?? ''))}`,
    route: `${request.method} ${path}`,
    status: response.status,
    ...(wire !== undefined && { wire, upstream_wire: wire }),
    total_ms: time,
    client_calls: 0,
    tool_runs: 0,
    tool_failures: 0,
    losses: 0,
    retries: 0,
    abandoned: false,
    state: 'ended',
  }
  const views = {
    'client-request': part(`${request.method} ${path}`, request.headers, request.postData?.text),
    'client-answer': part(String(response.status), response.headers, response.content.text),
  }
  return { summary, client_calls: [], tool_runs: [], losses: [], views }
}

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
