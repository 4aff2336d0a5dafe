/** Where a request goes and the headers it carries: the upstream's own key, and nothing of the client's but what it needs. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Upstream } from '../settings.ts'

const paths: { readonly [W in Wire]: string } = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
}

export function upstreamUrl({ baseUrl, wire }: Upstream, more = ''): string {
  return baseUrl.replace(/\/+$/, '') + paths[wire] + more
}

/** What the Messages wire says in headers and other upstreams ignore; passed to upstreams of that wire only. */
const messagesHeaders = ['anthropic-version', 'anthropic-beta']

export function upstreamHeaders(
  upstream: Upstream,
  client: Readonly<Record<string, string | undefined>>,
  streamed: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: streamed ? 'text/event-stream' : 'application/json',
    'user-agent': 'toolwire',
  }
  const key = upstream.apiKey ?? (upstream.forwardKey === true ? clientKey(client) : undefined)
  if (upstream.wire === 'messages') {
    headers['anthropic-version'] = '2023-06-01'
    for (const name of messagesHeaders) {
      const value = client[name]
      if (value !== undefined) headers[name] = value
    }
    if (key !== undefined) headers['x-api-key'] = key
  } else if (key !== undefined) headers.authorization = `Bearer ${key}`
  const own = upstream.headers
  if (own === undefined) return headers
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value
  return headers
}

/** The key a client presents, in either of the two places clients use. */
export function clientKey(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const { authorization } = headers
  const bearer = authorization === undefined ? undefined : /^bearer\s+(\S+)\s*$/i.exec(authorization)
  return bearer?.[1] ?? headers['x-api-key']
}

/** Names of headers that hold keys. Those with tokens in the plural only count them. */
export const secretName: RegExp = /key|token(?!s)|authorization|cookie|secret/i
/** Shorter ones would be found in half of all texts. */
const shortestSecret = 6

/** What is sent to an upstream and must not be repeated to anybody. */
export function secretsOf(
  upstream: Upstream,
  client: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const sent = Object.entries(upstreamHeaders(upstream, client, false))
  const keys = sent.flatMap(([name, value]) =>
    secretName.test(name) ? [value.replace(/^bearer\s+/i, '')] : [],
  )
  return [...keys, new URL(upstream.baseUrl).password].filter(({ length }) => length >= shortestSecret)
}
