/** `GET /v1/models`: the names from the configuration, and what upstreams without a list say they have. */

import type { GatewayContext, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { upstreamHeaders } from '../upstream/headers.ts'
import { askUpstream } from '../upstream/query.ts'
import type { ServedUpstream } from '../upstream/served.ts'

interface Model {
  readonly id: string
  readonly owner: string
}

/** A list of models is wanted at once or not at all. */
const patienceMs = 3_000

async function modelsOf(
  gateway: GatewayContext,
  upstream: ServedUpstream,
  context: RequestContext,
): Promise<Model[]> {
  const { name, models = [], rename = {} } = upstream
  const listed = [...models, ...Object.keys(rename)].filter(model => !model.endsWith('*'))
  const prefixes = models.filter(model => model.endsWith('*')).map(model => model.slice(0, -1))
  if (models.length > 0 && prefixes.length === 0) return listed.map(id => ({ id, owner: name }))
  const isServed = (id: string): boolean =>
    models.length === 0 || prefixes.some(prefix => id.startsWith(prefix))
  try {
    const { status, bytes } = await askUpstream(
      gateway,
      upstream,
      {
        method: 'GET',
        url: `${upstream.baseUrl.replace(/\/+$/, '')}/models`,
        headers: upstreamHeaders(upstream, context.request.headers, false),
        firstByteMs: patienceMs,
        limit: 4 * 1024 * 1024,
      },
      context.signal,
    )
    const body = status < 300 ? (JSON.parse(bytes.toString('utf8')) as { data?: { id?: unknown }[] }) : {}
    const found = (body.data ?? []).flatMap(({ id }) => (typeof id === 'string' && isServed(id) ? [id] : []))
    return [...new Set([...listed, ...found])].map(id => ({ id, owner: name }))
  } catch {
    // One upstream that is away does not make the others' models disappear.
    return listed.map(id => ({ id, owner: name }))
  }
}

async function allModels(context: RequestContext): Promise<Model[]> {
  const { gateway } = context
  const lists = await Promise.all(gateway.upstreams.map(upstream => modelsOf(gateway, upstream, context)))
  const byId = new Map<string, Model>()
  for (const model of lists.flat()) if (!byId.has(model.id)) byId.set(model.id, model)
  return [...byId.values()]
}

const speaksMessages = (context: RequestContext): boolean =>
  context.request.headers['anthropic-version'] !== undefined

function asModel({ id, owner }: Model, context: RequestContext): object {
  return speaksMessages(context)
    ? { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
    : { id, object: 'model', created: 0, owned_by: owner }
}

export async function listModels(context: RequestContext): Promise<void> {
  const models = await allModels(context)
  const data = models.map(model => asModel(model, context))
  const ends = { has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }
  sendJson(context, 200, speaksMessages(context) ? { data, ...ends } : { object: 'list', data })
}

export async function getModel(context: RequestContext): Promise<void> {
  const id = context.params.model ?? ''
  const found = (await allModels(context)).find(model => model.id === id)
  // A model that is on no list may well exist where a prefix or an open upstream promises it.
  sendJson(context, 200, asModel(found ?? { id, owner: context.gateway.router(id).upstream.name }, context))
}
