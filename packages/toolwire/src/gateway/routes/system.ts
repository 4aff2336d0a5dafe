/** Routes about the gateway itself. */
import { StoreError } from '../../store/store-error.ts'
import type { Visit } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError, retryLater } from '../errors.ts'

export async function live(visit: Visit): Promise<void> {
  sendJson(visit, 200, { status: 'live' })
}

/** Not ready while it stops, or while its store takes no writes. */
export async function ready(visit: Visit): Promise<void> {
  const { core } = visit
  if (core.draining()) return sendJson(visit, 503, { status: 'draining' }, retryLater)
  try {
    await core.store?.check()
    sendJson(visit, 200, { status: 'ready', store: core.store?.kind ?? 'none' })
  } catch (error) {
    const reason = error instanceof StoreError ? error.reason : 'unknown'
    sendJson(visit, 503, { status: 'store unavailable', reason }, retryLater)
  }
}

export async function version(visit: Visit): Promise<void> {
  sendJson(visit, 200, { name: 'toolwire', version: visit.core.version, node: process.versions.node })
}

export async function openapi(visit: Visit): Promise<void> {
  const { openApiDocument } = await import('./openapi.ts')
  sendJson(visit, 200, openApiDocument(visit.core.version))
}

export async function metrics({ core, sink, headers, observation }: Visit): Promise<void> {
  if (core.metrics === undefined) throw notKept('metrics')
  observation.facts.status = 200
  sink.head(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...headers })
  sink.end(core.metrics())
}

export async function traces(visit: Visit): Promise<void> {
  if (visit.core.traces === undefined) throw notKept('traces')
  const limit = Number(visit.query.get('limit') ?? 50)
  sendJson(visit, 200, {
    object: 'list',
    data: visit.core.traces.list(Number.isInteger(limit) && limit > 0 ? limit : 50, ownerOf(visit)),
  })
}

export async function trace(visit: Visit): Promise<void> {
  const { core, params } = visit
  if (core.traces === undefined) throw notKept('traces')
  const found = core.traces.get(params.id ?? '', ownerOf(visit))
  if (found === undefined) {
    throw new GatewayError('not_found', 'There is no such trace, or it was dropped for newer ones.', {
      code: 'trace_not_found',
    })
  }
  sendJson(visit, 200, found)
}

/** Where keys are asked for, each of them sees its own exchanges only. */
function ownerOf({ core, owner }: Visit): string | undefined {
  return core.guard.asksForKeys ? owner : undefined
}

function notKept(what: 'metrics' | 'traces'): GatewayError {
  const code = what === 'metrics' ? 'no_metrics' : 'no_traces'
  return new GatewayError('not_found', `This gateway keeps no ${what}.`, { code })
}
