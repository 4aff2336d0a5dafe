/** From a request's method and path to the route that serves it, and to the wire whose format fits. */
import type { WireDefinition } from '@toolwire/core'
import { matchPath, parsePath, splitPath } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'
import type { OperatorAccess } from '../http/guard.ts'
import type { ClientHeaders } from '../http/headers.ts'

/** `Context` is what a handler gets of a request. */
export interface Route<Context> {
  /** Names the route in the OpenAPI document. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments; those in braces are parameters. */
  readonly path: string
  /** The wire that the route belongs to; absent where several share it. */
  readonly wire?: WireDefinition | undefined
  /** Needs no key. */
  readonly open?: boolean
  /** Answered whatever else is in flight: it is short, and operators need it most when there is too much. */
  readonly unlimited?: boolean
  /** The longest body; absent where the limit of all requests holds. */
  readonly bodyBytes?: number
  /** Absent where an operator's key opens nothing. */
  readonly operators?: OperatorAccess
  /** Values that the last parameter cannot have, because other services stand at those paths. */
  readonly notIds?: ReadonlySet<string>
  handle(context: Context): Promise<void>
}

export interface Match<Context> {
  readonly route: Route<Context>
  /** Method and path of the route. One text for all requests: whoever counts by it need not look at its characters. */
  readonly label: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export interface RouteTable<Context> {
  readonly routes: readonly Route<Context>[]
  match(method: string, target: string): Match<Context>
  /** Compared with the target as it was sent, before anything is decoded. */
  isOpen(target: string): boolean
  /** The wire whose error format fits a request, even one whose path does not exist. */
  wireOf(target: string, headers: ClientHeaders): WireDefinition
}

export function createRouteTable<Context>(
  routes: readonly Route<Context>[],
  wires: Iterable<WireDefinition>,
  fallback: Route<Context>,
): RouteTable<Context> {
  checkConflicts(routes)
  const paths = fixedPaths(routes)
  const patterns = routes.map(route => ({ route, ...patternOf(route.path) }))
  const openPaths = new Set(routes.filter(({ open }) => open).map(({ path }) => path))
  const wireOf = createWireFinder(routes, [...wires], paths)

  const findRoute = (method: string, target: string): Match<Context> => {
    const [path = '', search] = target.split('?', 2)
    const segments = splitPath(path)
    const here: Match<Context>[] = []
    for (const { route, version, pattern } of patterns) {
      const params = matchPath(pattern, version === undefined ? segments : withoutVersion(segments, version))
      if (params === undefined || route.notIds?.has(segments.at(-1) ?? '')) continue
      here.push({ route, label: labelOf(route), params, query: new URLSearchParams(search) })
    }
    // HEAD gets what GET would get; the server leaves the body out.
    const wanted = method === 'HEAD' ? 'GET' : method
    const match = here.find(({ route }) => route.method === wanted)
    if (match !== undefined) return match
    if (here.length > 0) throw notAllowed(method, path, here)
    return { route: fallback, label: labelOf(fallback), params: {}, query: new URLSearchParams(search) }
  }

  return {
    routes,
    match(method, target) {
      return paths.get(target)?.get(method) ?? findRoute(method, target)
    },
    isOpen: target => openPaths.has(target),
    wireOf,
  }
}

type FixedPaths<Context> = ReadonlyMap<string, ReadonlyMap<string, Match<Context>>>

const noQuery = new URLSearchParams()

/** Every spelling of a path without parameters, so that for nearly all requests one lookup is enough. */
function fixedPaths<Context>(routes: readonly Route<Context>[]): FixedPaths<Context> {
  const paths = new Map<string, Map<string, Match<Context>>>()
  for (const route of routes) {
    if (route.path.includes('{')) continue
    const match = { route, label: labelOf(route), params: {}, query: noQuery }
    for (const path of spellings(route.path)) {
      const methods = paths.get(path) ?? new Map<string, Match<Context>>()
      methods.set(route.method, match)
      paths.set(path, methods)
    }
  }
  return paths
}

const labelOf = ({ method, path }: Pick<Route<never>, 'method' | 'path'>): string => `${method} ${path}`

const versionSegment = /^v\d+$/

/** Clients differ in whether their base address ends in the version, so it may be missing or doubled. */
function spellings(path: string): string[] {
  const [version = ''] = path.split('/', 2).slice(1)
  return versionSegment.test(version) ? [path, path.slice(version.length + 1), `/${version}${path}`] : [path]
}

function patternOf(path: string): {
  readonly version: string | undefined
  readonly pattern: ReturnType<typeof parsePath>
} {
  const segments = parsePath(path)
  const version = segments[0]?.text ?? ''
  return versionSegment.test(version)
    ? { version, pattern: segments.slice(1) }
    : { version: undefined, pattern: segments }
}

function withoutVersion(segments: readonly string[], version: string): readonly string[] {
  const count = segments[0] !== version ? 0 : segments[1] !== version ? 1 : 2
  return count === 0 ? segments : segments.slice(count)
}

/** By a header that only clients of one wire send, else by the path, else the first wire. */
function createWireFinder<Context>(
  routes: readonly Route<Context>[],
  wires: readonly WireDefinition[],
  paths: FixedPaths<Context>,
): RouteTable<Context>['wireOf'] {
  const [fallback] = wires
  if (fallback === undefined) throw new TypeError('A gateway needs at least one wire.')
  const markers = wires.flatMap(wire =>
    wire.service.http.markerHeaders.map(header => ({ header, wire }) as const),
  )
  const byPath = new Map<string, WireDefinition>()
  for (const [path, methods] of paths) {
    for (const { route } of methods.values()) if (route.wire !== undefined) byPath.set(path, route.wire)
  }
  const bySegment = new Map(
    routes.flatMap(({ path, wire }) => {
      const [first] = patternOf(path).pattern
      return wire === undefined || first === undefined || first.parameter !== undefined
        ? []
        : [[first.text, wire] as const]
    }),
  )
  return (target, headers) => {
    for (const { header, wire } of markers) if (headers[header] !== undefined) return wire
    const known = byPath.get(target)
    if (known !== undefined) return known
    for (const segment of splitPath(target.split('?', 1)[0] ?? '')) {
      const wire = bySegment.get(segment)
      if (wire !== undefined) return wire
    }
    return fallback
  }
}

type RouteHead = Pick<Route<never>, 'method' | 'path' | 'wire'>

function checkConflicts(routes: readonly RouteHead[]): void {
  const seen = new Map<string, RouteHead>()
  for (const route of routes) {
    const key = `${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`
    const other = seen.get(key)
    if (other !== undefined) {
      const [a, b] = [other, route].map(({ wire }) => (wire === undefined ? 'the gateway' : `"${wire.name}"`))
      throw new TypeError(`${route.method} ${route.path} is a route of two wires: ${a} and ${b}.`)
    }
    seen.set(key, route)
  }
}

function notAllowed(
  method: string,
  path: string,
  here: readonly { readonly route: RouteHead }[],
): GatewayError {
  const allowed = here.map(({ route }) => route.method).join(', ')
  return new GatewayError('invalid_request', `${path} takes ${allowed}, not ${printable(method)}.`, {
    code: 'method_not_allowed',
    status: 405,
    headers: { allow: allowed },
  })
}

function printable(text: string): string {
  return text.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, '?')
}
