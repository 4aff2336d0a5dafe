/** Exchanges as files that open again: HAR, JSON lines, a fixture. */
import type { ExchangeDocument } from '../state/api.ts'

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
