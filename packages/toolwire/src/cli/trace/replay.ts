/** An exchange for other programs: the request as a `curl` line, and everything as HAR 1.2. */
import type { ViewName } from '../../telemetry/observer.ts'
import type { Trace, TracePart, TraceSummary } from '../../telemetry/traces/trace-document.ts'
import { UsageError } from '../../terminal/errors.ts'
import { version } from '../version.ts'

/** Headers that `curl` makes itself, or that belong to the connection. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'user-agent',
])
const masked = '***'
const keyVariable = 'TOOLWIRE_KEY'

export function curlLine(trace: Trace, name: ViewName, gatewayUrl: string): string {
  const view = trace.views[name]
  if (view === undefined) throw new UsageError(`This exchange has no ${name}.`)
  const part = view.parts.at(-1)
  if (part === undefined || part.cut) {
    throw new UsageError(
      `The ${name} was not kept whole, so it cannot be sent again.`,
      'A larger "trace.viewBytes" in the configuration keeps more.',
    )
  }
  const { method, url } = lineOf(part, gatewayUrl)
  const headers = Object.entries(part.headers ?? {})
    .filter(([key]) => !ownHeaders.has(key.toLowerCase()))
    .map(([key, value]) => ` \\\n  -H ${headerText(key, value)}`)
  const verb = method === 'POST' ? '' : ` -X ${method}`
  const body = part.text === '' ? '' : ` \\\n  --data-raw ${quoted(part.text)}`
  return `curl -sS${trace.summary.streamed ? 'N' : ''}${verb} ${quoted(url)}${headers.join('')}${body}\n`
}

/** A masked key becomes a variable, for which the quotes must let the shell look. */
function headerText(key: string, value: string): string {
  if (!value.includes(masked)) return quoted(`${key}: ${value}`)
  const scheme = key.toLowerCase() === 'authorization' && value === masked ? 'Bearer ' : ''
  return `"${key}: ${scheme}${value.replace(masked, `$${keyVariable}`)}"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function lineOf({ line = '' }: TracePart, base: string): { method: string; url: string } {
  const [method = 'POST', target = '/'] = line.split(' ')
  return { method, url: target.startsWith('/') ? base + target : target }
}

/** One entry for the client's side, and one for each request to the upstream. */
export function harOf(traces: readonly Trace[], gatewayUrl: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'toolwire', version: version() },
      entries: traces.flatMap(trace => [
        ...entriesOf(trace, ['client-request', 'client-answer'], gatewayUrl),
        ...entriesOf(trace, ['upstream-request', 'upstream-answer'], gatewayUrl),
      ]),
    },
  }
}

function entriesOf(
  { summary, views }: Trace,
  [asking, answering]: readonly [ViewName, ViewName],
  gatewayUrl: string,
): object[] {
  const answers = views[answering]?.parts ?? []
  return (views[asking]?.parts ?? []).map((part, i) => {
    const answer = answers[i]
    const { at, wait, receive } =
      asking === 'client-request' ? timesOf(summary) : timesOfUpstream(part, answer)
    return {
      startedDateTime: new Date(Date.parse(summary.time) + at).toISOString(),
      time: wait + receive,
      request: requestOf(part, gatewayUrl),
      response: responseOf(answer, summary),
      cache: {},
      timings: { send: 0, wait, receive },
      comment: `${summary.id} ${asking.replace('-request', '')}`,
    }
  })
}

/** In milliseconds, from the start of the exchange. */
interface EntryTimes {
  readonly at: number
  readonly wait: number
  readonly receive: number
}

function timesOf({ total_ms: total = 0, first_byte_ms: first = total }: TraceSummary): EntryTimes {
  return { at: 0, wait: first, receive: Math.max(0, total - first) }
}

function timesOfUpstream({ at_ms: at = 0 }: TracePart, answer: TracePart | undefined): EntryTimes {
  const { at_ms: first = at, end_ms: end = first } = answer ?? {}
  return { at, wait: Math.max(0, first - at), receive: Math.max(0, end - first) }
}

function requestOf(part: TracePart, gatewayUrl: string): object {
  const { method, url } = lineOf(part, gatewayUrl)
  const type = part.headers?.['content-type'] ?? 'application/json'
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headerList(part),
    queryString: URL.canParse(url)
      ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value }))
      : [],
    postData: { mimeType: type, text: part.text },
    headersSize: -1,
    bodySize: part.size,
  }
}

function responseOf(part: TracePart | undefined, { status = 0 }: TraceSummary): object {
  const own = Number(part?.line)
  return {
    status: Number.isInteger(own) && own > 0 ? own : status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: part === undefined ? [] : headerList(part),
    content: {
      size: part?.size ?? 0,
      mimeType: part?.headers?.['content-type'] ?? 'application/json',
      text: part?.text ?? '',
      ...(part?.cut && { comment: 'only the beginning was kept' }),
    },
    redirectURL: '',
    headersSize: -1,
    bodySize: part?.size ?? 0,
  }
}

function headerList({ headers = {} }: TracePart): object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
