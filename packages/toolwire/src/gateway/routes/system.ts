/** Routes about the gateway itself. */
import { StoreError } from '../../store/store-error.ts'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError, retryLater } from '../errors.ts'
import { sendPage } from '../inspector/page.ts'

async function live(context: RequestContext): Promise<void> {
  sendJson(context, 200, { status: 'live' })
}

export interface Readiness {
  readonly status: 'ready' | 'draining' | 'store unavailable'
  /** The kind of the store. */
  readonly store?: string
  /** Why the store is not available. */
  readonly reason?: string
}

/** Not ready while it stops, or while its store takes no writes. */
export async function readinessOf(gateway: GatewayContext): Promise<Readiness> {
  if (gateway.draining()) return { status: 'draining' }
  try {
    await gateway.store?.check()
    return { status: 'ready', store: gateway.store?.kind ?? 'none' }
  } catch (error) {
    return { status: 'store unavailable', reason: error instanceof StoreError ? error.reason : 'unknown' }
  }
}

async function ready(context: RequestContext): Promise<void> {
  const readiness = await readinessOf(context.gateway)
  if (readiness.status === 'ready') sendJson(context, 200, readiness)
  else sendJson(context, 503, readiness, retryLater)
}

async function version(context: RequestContext): Promise<void> {
  sendJson(context, 200, { name: 'toolwire', version: context.gateway.version, node: process.versions.node })
}

/** Some agents ask for this path before anything else, to see whether somebody is there. */
async function root(context: RequestContext): Promise<void> {
  if (sendPage(context)) return
  const { version: number } = context.gateway
  sendJson(context, 200, { name: 'toolwire', version: number, see: ['/openapi.json', '/v1/models'] })
}

async function openapi(context: RequestContext): Promise<void> {
  const { openApiDocument } = await import('./openapi.ts')
  const { version: number, wires, routes } = context.gateway
  sendJson(context, 200, openApiDocument(number, routes.routes, [...wires.values()]))
}

async function metrics({ gateway, sink, headers, observation }: RequestContext): Promise<void> {
  if (gateway.metrics === undefined) throw notKept('metrics')
  const text = await gateway.metrics()
  observation.facts.status = 200
  sink.head(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...headers })
  sink.end(text)
}

async function traces(context: RequestContext): Promise<void> {
  if (context.gateway.traces === undefined) throw notKept('traces')
  const asked = Number(context.query.get('limit') ?? 50)
  const limit = Number.isInteger(asked) && asked > 0 ? asked : 50
  sendJson(context, 200, {
    object: 'list',
    data: await context.gateway.traces.list(limit, traceOwner(context)),
  })
}

async function trace(context: RequestContext): Promise<void> {
  sendJson(context, 200, await findTrace(context))
}

export async function findTrace(context: RequestContext): Promise<unknown> {
  const { gateway, params } = context
  if (gateway.traces === undefined) throw notKept('traces')
  const found = await gateway.traces.get(params.id ?? '', traceOwner(context))
  if (found !== undefined) return found
  throw new GatewayError('not_found', 'There is no such trace, or it was dropped for newer ones.', {
    code: 'trace_not_found',
  })
}

async function usage(context: RequestContext): Promise<void> {
  if (context.gateway.usage === undefined) throw notKept('usage')
  const since = Number(context.query.get('since') ?? 0)
  const data = await context.gateway.usage(Number.isFinite(since) ? since : 0, traceOwner(context))
  sendJson(context, 200, { object: 'list', data })
}

/** Where keys are required, each key sees its own exchanges only, and an operator's those of all. */
export function traceOwner({ gateway, owner, isOperator }: RequestContext): string | undefined {
  return gateway.guard.asksForKeys && !isOperator ? owner : undefined
}

const absenceCodes = { metrics: 'no_metrics', traces: 'no_traces', usage: 'no_usage' } as const

export function notKept(what: keyof typeof absenceCodes): GatewayError {
  const code = absenceCodes[what]
  return new GatewayError('not_found', `This gateway keeps no ${what}.`, { code })
}

export const systemRoutes: readonly GatewayRoute[] = [
  { name: 'root', method: 'GET', path: '/', open: true, operators: 'also', unlimited: true, handle: root },
  {
    name: 'live',
    method: 'GET',
    path: '/live',
    open: true,
    operators: 'also',
    unlimited: true,
    handle: live,
  },
  {
    name: 'ready',
    method: 'GET',
    path: '/ready',
    open: true,
    operators: 'also',
    unlimited: true,
    handle: ready,
  },
  { name: 'metrics', method: 'GET', path: '/metrics', operators: 'only', unlimited: true, handle: metrics },
  {
    name: 'version',
    method: 'GET',
    path: '/version',
    open: true,
    operators: 'also',
    unlimited: true,
    handle: version,
  },
  {
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    open: true,
    operators: 'also',
    unlimited: true,
    handle: openapi,
  },
  {
    name: 'traces',
    method: 'GET',
    path: '/toolwire/traces',
    operators: 'more',
    unlimited: true,
    handle: traces,
  },
  {
    name: 'trace',
    method: 'GET',
    path: '/toolwire/traces/{id}',
    operators: 'more',
    unlimited: true,
    handle: trace,
  },
  {
    name: 'usage',
    method: 'GET',
    path: '/toolwire/usage',
    operators: 'more',
    unlimited: true,
    handle: usage,
  },
]
