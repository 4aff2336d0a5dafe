/** The list of models: the names from the configuration, and those that upstreams without a fixed list report. */
import type { WireDefinition } from '@toolwire/core'
import type { ListedModel, ModelFacts, WireModels } from '@toolwire/core/wires'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { routeFor } from '../tenants/tenants.ts'
import { listUpstreamModels } from '../upstream/list-models.ts'
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
  sendJson(context, 200, shape?.encodeList(await allModels(context), Object.fromEntries(context.query)))
}

async function getModel(context: RequestContext, shape: WireModels | undefined): Promise<void> {
  const id = context.params.model ?? ''
  const found = (await allModels(context)).find(model => model.id === id)
  // A model that is on no list may still exist, where a prefix or an open upstream takes it.
  const model = found ?? describe(context, id, routeFor(context, id).upstream.name, {})
  sendJson(context, 200, shape?.encodeModel(model))
}

export async function allModels(context: RequestContext): Promise<ListedModel[]> {
  const { tenant } = context
  const usable = context.gateway.upstreams.filter(
    ({ disabled, name }) => disabled === undefined && tenant?.allowsUpstream(name) !== false,
  )
  const lists = await Promise.all(usable.map(upstream => modelsOf(context, upstream)))
  const byId = new Map<string, ListedModel>()
  for (const model of lists.flat()) {
    if (!byId.has(model.id) && tenant?.allowsModel(model.id) !== false) byId.set(model.id, model)
  }
  return [...byId.values()]
}

async function modelsOf(context: RequestContext, upstream: ServedUpstream): Promise<ListedModel[]> {
  const { name, models = [], rename = {} } = upstream
  const listed = [...models, ...Object.keys(rename)].filter(model => !model.endsWith('*'))
  const prefixes = models.filter(model => model.endsWith('*')).map(model => model.slice(0, -1))
  const isFixed = models.length > 0 && prefixes.length === 0
  const isServed = (id: string): boolean =>
    models.length === 0 || prefixes.some(prefix => id.startsWith(prefix))
  // An upstream that is unreachable does not make the models of the others disappear.
  const found = isFixed ? undefined : await listUpstreamModels(context.gateway, upstream, context)
  const ids = [...listed, ...[...(found?.keys() ?? [])].filter(isServed)]
  return [...new Set(ids)].map(id => describe(context, id, name, found?.get(rename[id] ?? id) ?? {}))
}

/** What the settings state comes first, then what the upstream says, then what is known of models with such names. */
function describe({ gateway }: RequestContext, id: string, owner: string, reported: ModelFacts): ListedModel {
  const { upstream, model } = gateway.router(id)
  const { profile = {} } = upstream
  const known = upstream.profileOf(model)
  const contextWindow = profile.contextWindow ?? reported.contextWindow ?? known.contextWindow
  const images = known.imageSources.length === 0 ? false : reported.images
  const largestOutput = profile.largestOutput ?? reported.largestOutput ?? known.largestOutput
  return {
    id,
    owner,
    ...(model !== id && { target: model }),
    ...(contextWindow !== null && { contextWindow }),
    ...(largestOutput !== null && { largestOutput }),
    ...(images !== undefined && { images }),
    ...(known.fileSources.length === 0 && { files: false }),
    efforts: known.effort ? efforts.filter(effort => !known.refusedEfforts.includes(effort)) : [],
  }
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
