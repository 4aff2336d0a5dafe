/** Which upstream serves a model: an exact name first, then the longest prefix, then one that takes any. */
import { GatewayError } from '../errors.ts'
import type { ServedUpstream } from './served.ts'

export interface Destination {
  readonly upstream: ServedUpstream
  /** The upstream's name of the model. */
  readonly model: string
}

export type ModelRouter = (model: string) => Destination

export function createModelRouter(upstreams: readonly ServedUpstream[]): ModelRouter {
  const exact = new Map<string, ServedUpstream>()
  const prefixes: { readonly prefix: string; readonly upstream: ServedUpstream }[] = []
  for (const upstream of upstreams) {
    for (const name of [...(upstream.models ?? []), ...Object.keys(upstream.rename ?? {})]) {
      if (name.endsWith('*')) prefixes.push({ prefix: name.slice(0, -1), upstream })
      else if (!exact.has(name)) exact.set(name, upstream)
    }
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length)
  const any = upstreams.find(({ models }) => models === undefined || models.length === 0)

  const find = (model: string): ServedUpstream | undefined =>
    exact.get(model) ?? prefixes.find(({ prefix }) => model.startsWith(prefix))?.upstream ?? any

  return model => {
    // "local/qwen3" names the upstream, for models that two of them serve.
    const slash = model.indexOf('/')
    const rest = model.slice(slash + 1)
    const named = slash > 0 ? upstreams.find(({ name }) => name === model.slice(0, slash)) : undefined
    if (named !== undefined && !exact.has(model) && serves(named, rest)) return destination(named, rest)
    const plain = find(model)
    if (plain !== undefined) return destination(plain, model)
    const known = [...exact.keys(), ...prefixes.map(({ prefix }) => `${prefix}*`)].slice(0, 20)
    throw new GatewayError(
      'not_found',
      `No upstream serves the model "${model.slice(0, 200)}". Served are: ${known.join(', ')}. GET /v1/models lists them.`,
      { param: 'model', code: 'model_not_found' },
    )
  }
}

/** Naming an upstream does not make it serve more than its settings say. */
function serves({ models = [], rename = {} }: ServedUpstream, model: string): boolean {
  return (
    models.length === 0 ||
    Object.hasOwn(rename, model) ||
    models.some(name => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name))
  )
}

function destination(upstream: ServedUpstream, model: string): Destination {
  const renamed = upstream.rename
  return {
    upstream,
    model: renamed !== undefined && Object.hasOwn(renamed, model) ? (renamed[model] ?? model) : model,
  }
}
