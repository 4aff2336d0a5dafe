/** The list of models: the names from the configuration, and those that upstreams without a fixed list report. */
import type { WireDefinition } from '@toolwire/core'
import type { ListedModel, WireModels } from '@toolwire/core/wires'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { queryUpstream } from '../upstream/request.ts'
import type { ServedUpstream } from '../upstream/served.ts'

/** Wires that share a path share its routes; the headers of a request then decide which format it gets. */
export function modelRoutes(wires: readonly WireDefinition[]): GatewayRoute[] {
  return [...wiresByModelsPath(wires)].flatMap(([path, sharing]) => {
    const wire = sharing.length === 1 ? sharing[0] : undefined
    const [first] = sharing
    const shapeFor = (context: RequestContext): WireModels | undefined =>
      (sharing.includes(context.wire) ? context.wire : first)?.service.http.models
    return [
      {
        name: 'models',
        method: 'GET',
        path,
        wire,
        handle: context => listModels(context, shapeFor(context)),
      },
      {
        name: 'model',
        method: 'GET',
        path: `${path}/{model}`,
        wire,
        handle: context => getModel(context, shapeFor(context)),
      },
    ] satisfies GatewayRoute[]
  })
}

export function wiresByModelsPath(
  wires: readonly WireDefinition[],
): ReadonlyMap<string, readonly WireDefinition[]> {
  const byPath = new Map<string, WireDefinition[]>()
  for (const wire of wires) {
    const { prefix, models } = wire.service.http
    if (models === undefined) continue
    const path = prefix + models.path
    byPath.set(path, [...(byPath.get(path) ?? []), wire])
  }
  return byPath
}

async function listModels(context: RequestContext, shape: WireModels | undefined): Promise<void> {
  sendJson(context, 200, shape?.encodeList(await allModels(context)))
}

async function getModel(context: RequestContext, shape: WireModels | undefined): Promise<void> {
  const id = context.params.model ?? ''
  const found = (await allModels(context)).find(model => model.id === id)
  // A model that is on no list may still exist, where a prefix or an open upstream takes it.
  const model = found ?? { id, owner: context.gateway.router(id).upstream.name }
  sendJson(context, 200, shape?.encodeModel(model))
}

async function allModels(context: RequestContext): Promise<ListedModel[]> {
  const { gateway } = context
  const lists = await Promise.all(gateway.upstreams.map(upstream => modelsOf(gateway, upstream, context)))
  const byId = new Map<string, ListedModel>()
  for (const model of lists.flat()) if (!byId.has(model.id)) byId.set(model.id, model)
  return [...byId.values()]
}

/** A client wants the list at once, so a slow upstream is left out. */
const timeoutMs = 3_000

async function modelsOf(
  gateway: GatewayContext,
  upstream: ServedUpstream,
  { request, signal, wire }: RequestContext,
): Promise<ListedModel[]> {
  const { name, models = [], rename = {}, modelsUrl: url } = upstream
  const listed = [...models, ...Object.keys(rename)].filter(model => !model.endsWith('*'))
  const prefixes = models.filter(model => model.endsWith('*')).map(model => model.slice(0, -1))
  const isFixed = models.length > 0 && prefixes.length === 0
  if (isFixed || url === undefined) return listed.map(id => ({ id, owner: name }))
  const isServed = (id: string): boolean =>
    models.length === 0 || prefixes.some(prefix => id.startsWith(prefix))
  try {
    const { status, bytes } = await queryUpstream(
      gateway,
      upstream,
      {
        method: 'GET',
        url,
        client: { wire, headers: request.headers },
        firstByteMs: timeoutMs,
        limit: 4 * 1024 * 1024,
      },
      signal,
    )
    const body: unknown = status < 300 ? parseAnswer(bytes, name, gateway.limits) : undefined
    const found = upstream.wire.service.http.models?.decodeIds(body).filter(isServed) ?? []
    return [...new Set([...listed, ...found])].map(id => ({ id, owner: name }))
  } catch {
    // An upstream that is unreachable does not make the models of the others disappear.
    return listed.map(id => ({ id, owner: name }))
  }
}
