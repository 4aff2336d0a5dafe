/** What differs between two configurations, as lines for people; keys are masked. */
import { isObject } from '@toolwire/core/json'
import { formatPath } from '../terminal/format-path.ts'
import type { Settings } from './config.ts'
import { maskConfig } from './mask-config.ts'

export interface ChangedSettings {
  /** What takes effect at once. */
  readonly now: readonly string[]
  /** What only another start changes. */
  readonly later: readonly string[]
}

/** Settings that a gateway takes over while it runs. */
const changeable: ReadonlySet<string> = new Set<keyof Settings['config']>([
  'upstreams',
  'model',
  'keys',
  'keysEnv',
  'operatorKeys',
  'operatorKeysEnv',
  'allowedHosts',
  'allowedOrigins',
  'losses',
  'heartbeatMs',
  'toolTimeoutMs',
  'tools',
  'hosted',
])

export function changedSettings(before: Settings, after: Settings): ChangedSettings {
  const lines = { now: [] as string[], later: [] as string[] }
  const [old, fresh] = [before, after].map(settings => byName(settings.config))
  for (const name of new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])) {
    const list = changeable.has(name.split(/[.[]/, 1)[0] ?? '') ? lines.now : lines.later
    const [was, is] = [old?.[name], fresh?.[name]]
    if (was?.exact === is?.exact) continue
    list.push(
      `${name}: ${was === undefined ? 'unset' : was.shown} → ${is === undefined ? 'unset' : is.shown}`,
    )
  }
  return lines
}

interface Value {
  readonly exact: string
  readonly shown: string
}

/** Every value by its path; upstreams go by their names, so that a new one does not look like a change of the others. */
function byName(config: object): Record<string, Value> {
  const found: Record<string, Value> = Object.create(null)
  const walk = (exact: unknown, shown: unknown, path: readonly string[]): void => {
    const isList = Array.isArray(exact) && exact.some(isObject)
    if (isList || (isObject(exact) && Object.keys(exact).length > 0)) {
      for (const [key, value] of Object.entries(exact as object)) {
        const name = isList && isObject(value) && typeof value.name === 'string' ? value.name : key
        walk(value, (shown as Record<string, unknown> | undefined)?.[key], [...path, name])
      }
    } else found[formatPath(path)] = { exact: text(exact), shown: text(shown) }
  }
  for (const [key, value] of Object.entries(config)) {
    walk(value, (maskConfig({ [key]: value }) as Record<string, unknown>)[key], [key])
  }
  return found
}

function text(value: unknown): string {
  return typeof value === 'function' ? String(value) : (JSON.stringify(value) ?? 'unset')
}
