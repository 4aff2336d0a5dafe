/** Which upstream serves a model: an exact name first, then the longest prefix, then one that takes any. */
import { GatewayError } from '../errors.ts'
import type { Upstream } from '../settings.ts'
import type { ServedUpstream } from './served.ts'

/** What routing reads of an upstream. */
type Routed = Pick<Upstream, 'name' | 'models' | 'rename' | 'disabled'>

export interface Destination<U extends Routed = ServedUpstream> {
  readonly upstream: U
  /** The upstream's name of the model. */
  readonly model: string
  /** Others that list the model in the same way, to be asked if this one fails. */
  readonly others?: readonly Destination<U>[]
}

export type ModelRouter<U extends Routed = ServedUpstream> = (model: string) => Destination<U>

/** `only`: every request is for this model, whatever it names. */
export function createModelRouter<U extends Routed>(upstreams: readonly U[], only?: string): ModelRouter<U> {
  const exact = new Map<string, U[]>()
  const prefixes: { readonly prefix: string; readonly upstream: U }[] = []
  for (const upstream of upstreams) {
    for (const name of [...(upstream.models ?? []), ...Object.keys(upstream.rename ?? {})]) {
      if (name.endsWith('*')) prefixes.push({ prefix: name.slice(0, -1), upstream })
      else exact.set(name, [...(exact.get(name) ?? []), upstream])
    }
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length)
  const open = upstreams.filter(({ models }) => models === undefined || models.length === 0)
  const any = open.find(({ disabled }) => disabled === undefined) ?? open[0]

  const find = (model: string): readonly U[] => {
    const named = exact.get(model)
    if (named !== undefined) return named
    const longest = prefixes.find(({ prefix }) => model.startsWith(prefix))?.prefix
    if (longest !== undefined)
      return prefixes.filter(({ prefix }) => prefix === longest).map(({ upstream }) => upstream)
    // Of those that take any model, nobody knows which have this one.
    return any === undefined ? [] : [any]
  }

  const route: ModelRouter<U> = model => {
    // "local/qwen3" names the upstream, for models that two of them serve.
    const slash = model.indexOf('/')
    const rest = model.slice(slash + 1)
    const named = slash > 0 ? upstreams.find(({ name }) => name === model.slice(0, slash)) : undefined
    if (named !== undefined && !exact.has(model) && serves(named, rest)) return destination(named, rest)
    const found = find(model)
    if (found.length === 1 && found[0] !== undefined) return destination(found[0], model)
    const [first = found[0], ...others] = found.filter(({ disabled }) => disabled === undefined)
    if (first !== undefined) {
      const to = destination(first, model)
      return others.length === 0 ? to : { ...to, others: others.map(other => destination(other, model)) }
    }
    const told = `No upstream serves the model "${model.slice(0, 200)}". ${whatIsServed(upstreams, model)}`
    throw new GatewayError('not_found', told, { param: 'model', code: 'model_not_found' })
  }
  return only === undefined ? route : () => route(only)
}

/** The models of the upstreams that can be used, and the setting that would send this name to one of them. */
function whatIsServed(upstreams: readonly Routed[], model: string): string {
  const names = upstreams
    .filter(({ disabled }) => disabled === undefined)
    .flatMap(upstream =>
      [...(upstream.models ?? []), ...Object.keys(upstream.rename ?? {})].map(name => ({ name, upstream })),
    )
  const [any] = names
  if (any === undefined) return 'None can be used: look at the warnings of the gateway.'
  const shown = [...new Set(names.map(({ name }) => name))].slice(0, 20).join(', ')
  const exact = names.find(({ name }) => !name.endsWith('*'))
  const line =
    exact === undefined
      ? `If upstream "${any.upstream.name}" has it, add ${JSON.stringify(model.slice(0, 200))} to its "models" in the configuration.`
      : renameHint(model, exact.upstream.name, renamed(exact.upstream, exact.name), exact.name)
  return `Served are: ${shown}. GET /v1/models lists them. ${line}`
}

/** `served`: the name under which the gateway has the model, where that is not the upstream's own. */
export function renameHint(model: string, upstream: string, target: string, served: string = target): string {
  const line = `"rename": { ${JSON.stringify(model.slice(0, 200))}: ${JSON.stringify(target)} }`
  return (
    `To send this name to one of them, add ${line} to upstream "${upstream}" in the configuration, ` +
    `or start the gateway with --model ${served}.`
  )
}

/** Naming an upstream does not make it serve more than its settings say. */
function serves({ models = [], rename = {} }: Routed, model: string): boolean {
  return models.length === 0 || [...models, ...Object.keys(rename)].some(name => fits(model, name))
}

/** A name that ends in `*` is a pattern: it fits every model that begins with the rest of it. */
export function fits(model: string, name: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name
}

function destination<U extends Routed>(upstream: U, model: string): Destination<U> {
  const { name, disabled } = upstream
  if (disabled !== undefined) {
    throw new GatewayError('server', `Upstream "${name}" cannot be used: ${disabled}`, {
      code: 'upstream_disabled',
      status: 503,
    })
  }
  return { upstream, model: renamed(upstream, model) }
}

/** The upstream's name of a model. A name of its own is renamed only by its exact name; of patterns the longest counts. */
function renamed({ rename, models = [] }: Routed, model: string): string {
  if (rename === undefined) return model
  if (Object.hasOwn(rename, model)) return rename[model] ?? model
  if (models.includes(model)) return model
  const [pattern] = Object.keys(rename)
    .filter(name => fits(model, name))
    .sort((a, b) => b.length - a.length)
  if (pattern === undefined) return model
  const target = rename[pattern] ?? model
  return target.endsWith('*') ? target.slice(0, -1) + model.slice(pattern.length - 1) : target
}
