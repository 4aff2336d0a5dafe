/** Whose key may use which models and upstreams, and how much: worked out once for each key. */
import type { GatewayContext, RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { ownerWith } from '../http/guard.ts'
import type { GatewayOptions, Tenant } from '../settings.ts'
import { type Destination, fits } from '../upstream/route-model.ts'
import type { KeyCounters } from './key-counters.ts'
import { limitsOf } from './key-limits.ts'
import { createPriceFinder, type PriceFinder } from './prices.ts'
import type { TenantRules, Tenants } from './rules.ts'

/** For every key that has no entry of its own. */
export const anyKey = '*'

/** All keys that are let in. */
export function keysOf({
  keys = [],
  tenants = [],
}: Pick<GatewayOptions, 'keys' | 'tenants'>): readonly string[] {
  return [...new Set([...keys, ...tenants.flatMap(({ key }) => key ?? [])])]
}

/** The name of a tenant by its owner, and otherwise the owner itself. */
export function ownerNames(tenants: readonly Tenant[]): (owner: string) => string {
  const names = new Map(
    tenants.flatMap(({ key, name }) => (key === undefined ? [] : [[ownerWith(key), name]])),
  )
  return owner => names.get(owner) ?? owner
}

type TenantOptions = Pick<GatewayOptions, 'tenants' | 'upstreams' | 'prices' | 'limitsWithoutStore'>

export function createTenants(
  { tenants = [], upstreams, prices = [], limitsWithoutStore: withoutStore = 'local' }: TenantOptions,
  counters: KeyCounters,
): Tenants {
  const priceAt = createPriceFinder(upstreams, prices)
  const names = upstreams.map(({ name }) => name)
  const byOwner = new Map<string, TenantRules>()
  for (const tenant of tenants) {
    byOwner.set(tenant.key === undefined ? anyKey : ownerWith(tenant.key), rulesOf(tenant, names, priceAt))
  }
  const others = byOwner.get(anyKey)
  return { counters, withoutStore, of: share => byOwner.get(share) ?? others }
}

function rulesOf(tenant: Tenant, upstreamNames: readonly string[], priceAt: PriceFinder): TenantRules {
  const { name, models, upstreams } = tenant
  const limits = limitsOf(tenant)
  const hasMoney = limits.some(({ what }) => what === 'money')
  const isOneOf = (patterns: readonly string[] | undefined, value: string): boolean =>
    patterns === undefined || patterns.some(pattern => fits(value, pattern))
  return {
    name,
    limits,
    isMetered: limits.some(({ what }) => what !== 'requests'),
    hasModels: models !== undefined,
    priceAt,
    allowsModel(model) {
      if (isOneOf(models, model)) return true
      // "local/qwen3" is the model "qwen3" of the upstream "local".
      const slash = model.indexOf('/')
      return upstreamNames.includes(model.slice(0, slash)) && isOneOf(models, model.slice(slash + 1))
    },
    allowsUpstream: upstream => isOneOf(upstreams, upstream),
    lacksPrice: ({ model, upstream }) => hasMoney && priceAt(model, upstream.name) === undefined,
  }
}

/** No model has a name that is nearly as long, and it is written to many places. */
const longestName = 1000

/** Where a model is, for the key of this request. */
export function routeFor({ gateway, tenant }: RequestContext, model: string): Destination {
  if (model.length > longestName) {
    throw new GatewayError(
      'invalid_request',
      `The name of the model has ${model.length} characters; ${longestName} is the most.`,
      { param: 'model', code: 'model_not_found', status: 400 },
    )
  }
  return tenant === undefined ? gateway.router(model) : routeAllowed(gateway, tenant, model)
}

function routeAllowed(
  { router, onlyModel = '' }: GatewayContext,
  tenant: TenantRules,
  model: string,
): Destination {
  const asked = onlyModel === '' ? model : onlyModel
  const shown = asked.slice(0, 200)
  if (!tenant.allowsModel(asked))
    throw notAllowed(`The key "${tenant.name}" may not use the model "${shown}".`)
  const found = routed(router, model, tenant)
  const all = [found, ...(found.others ?? [])]
  const allowed = all.filter(({ upstream }) => tenant.allowsUpstream(upstream.name))
  if (allowed.length === 0) {
    throw notAllowed(`The key "${tenant.name}" may use no upstream that serves the model "${shown}".`)
  }
  const [first, ...others] = allowed.filter(destination => !tenant.lacksPrice(destination))
  if (first === undefined) {
    throw new GatewayError(
      'permission',
      `The key "${tenant.name}" has a budget in money, and the price of the model "${shown}" is not known. Add it to "prices", with 0 if it costs nothing.`,
      { code: 'price_unknown', param: 'model' },
    )
  }
  const { upstream, model: name } = first
  return others.length === 0 ? { upstream, model: name } : { upstream, model: name, others }
}

/** Which models others may use is not for everybody to know. */
function routed(router: GatewayContext['router'], model: string, { hasModels }: TenantRules): Destination {
  try {
    return router(model)
  } catch (error) {
    if (!hasModels || !(error instanceof GatewayError) || error.code !== 'model_not_found') throw error
    throw new GatewayError(
      'not_found',
      `No upstream serves the model "${model.slice(0, 200)}". GET /v1/models lists what this key may use.`,
      { param: 'model', code: 'model_not_found' },
    )
  }
}

function notAllowed(message: string): GatewayError {
  return new GatewayError('permission', `${message} GET /v1/models lists those that it may use.`, {
    param: 'model',
    code: 'model_not_allowed',
  })
}
