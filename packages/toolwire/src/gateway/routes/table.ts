/** The fixed list of what is served, and the way from a request's path to it. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { GatewayError } from '../errors.ts'

export type RouteName =
  | 'exchange'
  | 'count-tokens'
  | 'models'
  | 'model'
  | 'response'
  | 'response-delete'
  | 'response-input'
  | 'response-cancel'
  | 'conversation-create'
  | 'conversation'
  | 'conversation-update'
  | 'conversation-delete'
  | 'items'
  | 'items-create'
  | 'item'
  | 'item-delete'
  | 'live'
  | 'ready'
  | 'metrics'
  | 'version'
  | 'openapi'
  | 'traces'
  | 'trace'

export interface Route {
  readonly name: RouteName
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments; those in braces are parameters. */
  readonly path: string
  /** The wire whose errors this route speaks; the caller's headers decide when absent. */
  readonly wire?: Wire
  /** Answers without a key. */
  readonly open?: boolean
}

const route = (
  method: Route['method'],
  path: string,
  name: RouteName,
  more: Pick<Route, 'wire' | 'open'> = {},
): Route => ({ method, path, name, ...more })

export const routes: readonly Route[] = [
  route('POST', '/v1/chat/completions', 'exchange', { wire: 'chat' }),
  route('POST', '/v1/responses', 'exchange', { wire: 'responses' }),
  route('POST', '/v1/messages', 'exchange', { wire: 'messages' }),
  route('POST', '/v1/messages/count_tokens', 'count-tokens', { wire: 'messages' }),
  route('GET', '/v1/models', 'models'),
  route('GET', '/v1/models/{model}', 'model'),
  route('GET', '/v1/responses/{id}', 'response', { wire: 'responses' }),
  route('DELETE', '/v1/responses/{id}', 'response-delete', { wire: 'responses' }),
  route('GET', '/v1/responses/{id}/input_items', 'response-input', { wire: 'responses' }),
  route('POST', '/v1/responses/{id}/cancel', 'response-cancel', { wire: 'responses' }),
  route('POST', '/v1/conversations', 'conversation-create', { wire: 'responses' }),
  route('GET', '/v1/conversations/{id}', 'conversation', { wire: 'responses' }),
  route('POST', '/v1/conversations/{id}', 'conversation-update', { wire: 'responses' }),
  route('DELETE', '/v1/conversations/{id}', 'conversation-delete', { wire: 'responses' }),
  route('GET', '/v1/conversations/{id}/items', 'items', { wire: 'responses' }),
  route('POST', '/v1/conversations/{id}/items', 'items-create', { wire: 'responses' }),
  route('GET', '/v1/conversations/{id}/items/{item}', 'item', { wire: 'responses' }),
  route('DELETE', '/v1/conversations/{id}/items/{item}', 'item-delete', { wire: 'responses' }),
  route('GET', '/live', 'live', { open: true }),
  route('GET', '/ready', 'ready', { open: true }),
  route('GET', '/metrics', 'metrics'),
  route('GET', '/version', 'version', { open: true }),
  route('GET', '/openapi.json', 'openapi', { open: true }),
  route('GET', '/toolwire/traces', 'traces'),
  route('GET', '/toolwire/traces/{id}', 'trace'),
]

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** Clients differ in whether their base address holds the version, so `/v1` may be missing or doubled. */
export function matchRoute(method: string, target: string): Match {
  const route = fixed.get(`${method} ${target}`)
  return route === undefined ? findRoute(method, target) : { route, params: {}, query: new URLSearchParams() }
}

function findRoute(method: string, target: string): Match {
  const [path = '', search] = target.split('?', 2)
  const segments = split(path)
  const query = new URLSearchParams(search)
  const versionless = segments[0] === 'v1' ? segments.slice(1) : segments
  const bare = versionless[0] === 'v1' ? versionless.slice(1) : versionless
  const known = notIds.has(bare.join('/')) ? [] : routes
  const here = known.flatMap(route => {
    const params = fits(route, segments, bare)
    return params === undefined ? [] : [{ route, params, query }]
  })
  // Whoever asks for the head only gets what a GET would get; the server leaves the body out.
  const asked = method === 'HEAD' ? 'GET' : method
  const match = here.find(({ route }) => route.method === asked)
  if (match !== undefined) return match
  if (here.length > 0) {
    const allowed = here.map(({ route }) => route.method).join(', ')
    throw new GatewayError('invalid_request', `${path} takes ${allowed}, not ${printable(method)}.`, {
      code: 'method_not_allowed',
      status: 405,
      headers: { allow: allowed },
    })
  }
  throw new GatewayError(
    'not_found',
    `There is no ${printable(method)} ${printable(path)} here. GET /openapi.json lists what there is.`,
    {
      code: 'unknown_route',
    },
  )
}

/** Services of OpenAI's that stand where an id would. They are not served here, and are no responses either. */
const notIds: ReadonlySet<string> = new Set(['responses/compact', 'responses/input_tokens'])

/** Each way to write a path without parameters, so that for nearly all requests one look is enough. */
const fixed: ReadonlyMap<string, Route> = new Map(
  routes
    .filter(({ path }) => !path.includes('{'))
    .flatMap(route => spellings(route.path).map(path => [`${route.method} ${path}`, route] as const)),
)

function spellings(path: string): string[] {
  return path.startsWith('/v1/') ? [path, path.slice(3), `/v1${path}`] : [path]
}

/** Compared with the target as it was sent, before anything is decoded. */
export const openPaths: ReadonlySet<string> = new Set(
  routes.filter(({ open }) => open).map(({ path }) => path),
)

/** The wire whose error format fits a request, even one whose path does not exist. */
export function wireOfPath(target: string, headers: Readonly<Record<string, string | undefined>>): Wire {
  if (headers['anthropic-version'] !== undefined) return 'messages'
  const known = fixed.get(`POST ${target}`)?.wire
  if (known !== undefined) return known
  const segments = split(target.split('?', 1)[0] ?? '')
  if (segments.includes('messages')) return 'messages'
  return segments.includes('responses') || segments.includes('conversations') ? 'responses' : 'chat'
}

const patterns = new Map(routes.map(route => [route, route.path.split('/').slice(1)]))

function fits(
  route: Route,
  segments: readonly string[],
  bare: readonly string[],
): Record<string, string> | undefined {
  const pattern = patterns.get(route) ?? []
  const versioned = pattern[0] === 'v1'
  const wanted = versioned ? pattern.slice(1) : pattern
  const given = versioned ? bare : segments
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = value
    else if (part !== value) return undefined
  }
  return params
}

/** Each segment is decoded once. An empty one inside is no path of ours; one at the end is a slash too many. */
function split(path: string): string[] {
  const parts = path.split('/').slice(1)
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  return parts.map(part => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
}

function printable(text: string): string {
  return text.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, '?')
}
