/** Tenants that contradict one another, or name what there is not. */
import { show } from '@toolwire/core/wires'
import type { Tenant, Upstream } from '../settings.ts'
import { fits } from '../upstream/route-model.ts'
import { anyKey } from './tenants.ts'

interface TenantProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

const amounts = ['requestsPerMinute', 'tokensPerMinute', 'tokensPerDay', 'dollarsPerDay'] as const

/** `upstreams`: an empty list is not looked at. */
export function tenantProblems(
  tenants: readonly Tenant[],
  upstreams: readonly Pick<Upstream, 'name'>[],
): readonly TenantProblem[] {
  return tenants.flatMap((tenant, index) => {
    const { name, key, models = [], upstreams: allowed = [] } = tenant
    const problems: TenantProblem[] = []
    const add = (field: keyof Tenant, message: string): void => {
      problems.push({ path: ['tenants', index, field], message: `"tenants[${index}].${field}" ${message}` })
    }
    const first = tenants.findIndex(other => other.name === name)
    if (typeof name !== 'string' || name === '') add('name', `must be a text; got ${show(name)}.`)
    if (first !== index) add('name', `is ${show(name)}, as that of tenants[${first}] is.`)
    if (name === anyKey && key !== undefined) {
      add('key', `contradicts the name "${anyKey}", which stands for every key that has no entry of its own.`)
    }
    if (name !== anyKey && (key === undefined || key === '')) {
      add(
        'key',
        `is missing. Only the entry "${anyKey}" has none; it is for every key without an entry of its own.`,
      )
    }
    const same = tenants.findIndex(other => other.key === key)
    if (key !== undefined && same !== index) add('key', `is that of tenants[${same}] too.`)
    for (const field of ['models', 'upstreams'] as const) {
      const wrong = (tenant[field] ?? []).find(pattern => pattern.slice(0, -1).includes('*'))
      if (wrong !== undefined) add(field, `has ${show(wrong)}, but "*" may only stand at the end of a name.`)
    }
    if (models.length === 0 && tenant.models !== undefined)
      add('models', 'is empty: no model would be allowed.')
    if (allowed.length === 0 && tenant.upstreams !== undefined)
      add('upstreams', 'is empty: no upstream would be allowed.')
    for (const pattern of upstreams.length === 0 ? [] : allowed) {
      if (upstreams.some(upstream => fits(upstream.name, pattern))) continue
      const known = upstreams.map(upstream => show(upstream.name)).join(', ')
      add('upstreams', `has ${show(pattern)}, and no upstream has this name. There are: ${known}.`)
    }
    for (const field of amounts) {
      const amount = tenant[field]
      if (amount !== undefined && !(Number.isFinite(amount) && amount >= 0)) {
        add(field, `must be a number that is not below zero; got ${show(amount)}.`)
      }
    }
    return problems
  })
}
