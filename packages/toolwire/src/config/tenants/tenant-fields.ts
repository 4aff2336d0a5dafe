/** The settings of tenants: keys with names, rules and limits. */

import type { Tenant } from '../../gateway/settings.ts'
import { tenantProblems } from '../../gateway/tenants/check-tenants.ts'
import { anyKey } from '../../gateway/tenants/tenants.ts'
import type { Problem } from '../check-shape.ts'
import type { Settings, TenantConfig, ToolwireConfig } from '../config.ts'
import type { Machine } from '../machine.ts'
import type { FieldsOf, Rule } from '../rule.ts'
import { text, texts, whole } from '../rule.ts'
import { variableRule } from '../upstream-fields.ts'

const tenantFields: FieldsOf<TenantConfig> = {
  name: {
    rule: text,
    required: true,
    about: `Its name in messages, logs and "toolwire usage"; "${anyKey}": for every key without an entry of its own, each by itself.`,
  },
  key: { rule: text, secret: true, about: 'The key that its clients present.' },
  keyEnv: { rule: variableRule, about: 'The environment variable that holds the key.' },
  models: {
    rule: texts,
    about: 'The models it may use; a name that ends in * stands for all that begin so. By default all.',
  },
  upstreams: { rule: texts, about: 'The upstreams it may use, in the same way. By default all.' },
  requestsPerMinute: { rule: whole(0), about: 'How many requests it may make in a minute.' },
  tokensPerMinute: {
    rule: whole(0),
    about: 'How many tokens it may use in a minute, of requests and answers together.',
  },
  tokensPerDay: {
    rule: whole(0),
    about: 'How many tokens it may use in a day, which begins at midnight in UTC.',
  },
  dollarsPerDay: {
    rule: { kind: 'number', min: 0, max: 1_000_000_000, fractions: true },
    about:
      'How much its tokens may cost in a day, in US dollars; models without a known price are then refused.',
  },
}

export const tenantsRule: Rule = { kind: 'list', item: { kind: 'object', fields: tenantFields } }

/** With the keys that the environment holds. */
export function tenantsOf(
  { tenants = [] }: ToolwireConfig,
  { env }: Pick<Machine, 'env'>,
  upstreams: Settings['upstreams'],
  problems: Problem[],
): readonly Tenant[] {
  const found = tenants.map(({ keyEnv, ...tenant }, index) => {
    const key = keyEnv === undefined ? tenant.key : env[keyEnv]?.trim()
    const path = ['tenants', index, 'keyEnv']
    if (keyEnv !== undefined && tenant.key !== undefined) {
      const message = `"tenants[${index}].keyEnv" contradicts "key": one of the two says what the key is.`
      problems.push({ path, message, remedy: 'Leave one out.' })
    } else if (keyEnv !== undefined && !key) {
      const message = `The environment variable ${keyEnv}, which holds the key of tenant ${tenant.name}, is not set.`
      problems.push({ path, variable: keyEnv, message, remedy: `Set it before starting: export ${keyEnv}=…` })
      // What is wrong with it has been said.
      return { ...tenant, key: keyEnv }
    }
    return key === undefined ? tenant : { ...tenant, key }
  })
  problems.push(...tenantProblems(found, upstreams))
  return found
}
