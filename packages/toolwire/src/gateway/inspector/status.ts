/** The state of the gateway for people, and its tools to try. */
import type { ContentPart } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { platformSignal } from '../http/abort.ts'
import { readJson } from '../http/json-body.ts'
import { allModels } from '../routes/models.ts'
import { readinessOf } from '../routes/system.ts'
import { hostOf } from '../server-tools/run.ts'

async function status(context: RequestContext): Promise<void> {
  const { gateway, isOperator } = context
  // The configuration is the operator's; where none has a key and clients have one or none, whoever asks is that.
  const { hasOperators, hasSeveralOwners } = gateway.guard
  const mayKnow = isOperator || !(hasOperators || hasSeveralOwners)
  sendJson(context, 200, {
    version: gateway.version,
    node: process.versions.node,
    now: gateway.clock.date(),
    readiness: await readinessOf(gateway),
    memory: { used: gateway.memory.used, limit: gateway.limits.memoryBytes },
    background: gateway.background.size,
    may_send: !isOperator,
    wires: [...gateway.wires.values()].map(({ name, title, service }) => ({
      name,
      title,
      path: service.http.prefix + (service.http.routes.find(({ job }) => job === 'exchange')?.path ?? ''),
    })),
    upstreams: gateway.upstreams.map(({ name, wire, speaks, baseUrl, models, disabled }) => ({
      name,
      wire: wire.name,
      speaks: speaks.map(each => each.wire.name),
      base_url: baseUrl,
      models: models ?? [],
      ...(disabled !== undefined && { disabled }),
    })),
    tools: [...gateway.tools, ...gateway.hosted].map(({ name, description, parameters, server }) => ({
      name,
      description,
      parameters,
      server,
    })),
    ...(mayKnow && { about: gateway.inspector?.about() }),
  })
}

/** Apart from what clients ask, so that looking does not appear among the exchanges. */
async function models(context: RequestContext): Promise<void> {
  sendJson(context, 200, { object: 'list', data: await allModels(context) })
}

/** Runs one of the gateway's own tools, as if a model had called it. */
async function runTool(context: RequestContext): Promise<void> {
  const { gateway, params } = context
  const body = await readJson(context)
  const tools = [...gateway.tools, ...gateway.hosted]
  const name = params.name ?? ''
  if (!tools.some(tool => tool.name === name)) {
    throw new GatewayError('not_found', 'The gateway has no tool of that name.', { code: 'tool_not_found' })
  }
  const { signal, release } = platformSignal(context.signal)
  const call = { id: gateway.newId('call_'), name, arguments: JSON.stringify(body.arguments ?? {}) }
  const [outcome] = await runToolCalls([call], {
    tools,
    host: hostOf(gateway),
    signal,
    ...(gateway.toolTimeoutMs !== undefined && { timeoutMs: gateway.toolTimeoutMs }),
  }).finally(release)
  sendJson(context, 200, {
    status: outcome?.status,
    is_error: outcome?.isError === true,
    duration_ms: outcome?.durationMs,
    content: (outcome?.content ?? []).map(shownPart),
  })
}

/** A picture is shown where its data came with it; nothing is loaded from elsewhere. */
function shownPart(part: ContentPart): JsonObject {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  if (part.kind !== 'image' || part.source.type !== 'data') return { type: part.kind }
  return { type: 'image', media_type: part.source.mediaType, data: part.source.data }
}

export const statusRoutes: readonly GatewayRoute[] = [
  {
    name: 'status',
    method: 'GET',
    path: '/toolwire/status',
    operators: 'more',
    unlimited: true,
    handle: status,
  },
  { name: 'all-models', method: 'GET', path: '/toolwire/models', operators: 'also', handle: models },
  { name: 'run-tool', method: 'POST', path: '/toolwire/tools/{name}', handle: runTool },
]
