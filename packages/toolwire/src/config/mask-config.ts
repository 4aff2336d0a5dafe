/** The configuration as it may be shown: what the table calls secret is masked whole, and so is what looks like a key. */
import { createMasker } from '../telemetry/mask-secrets.ts'
import { configRule } from './config-table.ts'
import { isObject } from './json-value.ts'
import type { Rule } from './rule.ts'

const mask = '***'
const masker = createMasker()

export function maskConfig(config: object): unknown {
  return masked(config, configRule, false)
}

function masked(value: unknown, rule: Rule | undefined, secret: boolean): unknown {
  if (typeof value === 'string') return secret ? mask : masker.text(value)
  if (rule?.kind === 'code') return names(value)
  if (Array.isArray(value)) {
    const item = rule?.kind === 'list' ? rule.item : undefined
    return value.map(entry => masked(entry, item, secret))
  }
  if (!isObject(value)) return value
  const chosen = rule?.kind === 'either' ? rule.choose(value) : rule
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (chosen?.kind === 'map') return [key, masked(entry, chosen.value, secret)]
      const field =
        chosen?.kind === 'object' && Object.hasOwn(chosen.fields, key) ? chosen.fields[key] : undefined
      return [key, masked(entry, field?.rule, secret || field?.secret === true)]
    }),
  )
}

/** Tools are code; their names tell which they are. */
function names(value: unknown): unknown {
  const nameOf = (tool: unknown): unknown => (isObject(tool) ? tool.name : undefined)
  if (isObject(value) && !(Symbol.iterator in value)) {
    return Object.fromEntries(Object.entries(value).map(([type, tool]) => [type, nameOf(tool)]))
  }
  return [...(value as Iterable<unknown>)].map(nameOf)
}
