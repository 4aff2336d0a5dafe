/** Settings come in layers, of which the later win; the origin of each setting stays known. */
import type { Path } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { isObject } from '@toolwire/core/json'
import type { ToolwireConfig } from './config.ts'
import { configRule } from './config-table.ts'
import type { ObjectRule, Rule } from './rule.ts'

export interface Layer {
  /** Its name in messages: a file, a flag, a variable. */
  readonly origin: string
  readonly config: ToolwireConfig
}

export const defaultOrigin = 'default'

/** The defaults of the table. */
export function defaultLayer(): Layer {
  return { origin: defaultOrigin, config: defaultsOf(configRule) }
}

function defaultsOf({ fields }: ObjectRule): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, { rule, default: usual }]): [string, unknown][] => {
    if (usual !== undefined) return [[name, Array.isArray(usual) ? [...usual] : usual]]
    const inner = objectRuleIn(rule)
    const defaults = inner === undefined ? {} : defaultsOf(inner)
    return Object.keys(defaults).length > 0 ? [[name, defaults]] : []
  })
  return Object.fromEntries(entries)
}

function objectRuleIn(rule: Rule): ObjectRule | undefined {
  if (rule.kind === 'object') return rule
  return rule.kind === 'either' ? rule.of.find(option => option.kind === 'object') : undefined
}

export function mergeLayers(layers: readonly Layer[]): ToolwireConfig {
  const merged: Record<string, unknown> = {}
  for (const { config } of layers) {
    for (const [name, value] of Object.entries(config)) {
      if (value !== undefined) merged[name] = mergesInside(name) ? mergeObjects(merged[name], value) : value
    }
  }
  const inOrder = Object.keys(configRule.fields).filter(name => name in merged)
  // Each layer has this type.
  return Object.fromEntries(inOrder.map(name => [name, merged[name]])) as ToolwireConfig
}

function mergeObjects(below: unknown, above: unknown): unknown {
  if (!isObject(below) || !isObject(above)) return above
  const said = Object.entries(above).filter(([, value]) => value !== undefined)
  return { ...below, ...Object.fromEntries(said) }
}

/** A list of upstreams replaces another; `store.path` joins `store.kind`. */
function mergesInside(name: string): boolean {
  const field = configRule.fields[name]
  return field !== undefined && objectRuleIn(field.rule) !== undefined
}

/** The layer that a setting came from. */
export function originOf(layers: readonly Layer[], path: Path): Layer | undefined {
  const [name, inner] = path
  return layers.findLast(({ config }) => {
    const value = typeof name === 'string' ? (config as JsonObject)[name] : undefined
    if (value === undefined || inner === undefined || !mergesInside(String(name))) return value !== undefined
    return !isObject(value) || value[inner] !== undefined
  })
}
