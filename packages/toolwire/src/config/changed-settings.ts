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
  'tenants',
  'limitsWithoutStore',
  'prices',
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

export function changedSettings({ config: before }: Settings, { config: after }: Settings): ChangedSettings {
  const lines = { now: [] as string[], later: [] as string[] }
  const compare = (was: Value, is: Value, path: readonly string[]): void => {
    const [old, fresh] = [partsOf(was), partsOf(is)]
    if (old !== undefined && fresh !== undefined) {
      for (const name of new Set([...old.keys(), ...fresh.keys()])) {
        compare(old.get(name) ?? unset, fresh.get(name) ?? unset, [...path, name])
      }
    } else if (text(was.exact) !== text(is.exact)) {
      const list = changeable.has(path[0] ?? '') ? lines.now : lines.later
      list.push(`${formatPath(path)}: ${text(was.shown)} → ${text(is.shown)}`)
    }
  }
  compare({ exact: before, shown: maskConfig(before) }, { exact: after, shown: maskConfig(after) }, [])
  return lines
}

interface Value {
  readonly exact: unknown
  /** The same, with keys masked. */
  readonly shown: unknown
}

const unset: Value = { exact: undefined, shown: undefined }

/** Upstreams go by their names, so that a new one does not look like a change of the others. */
function partsOf({ exact, shown }: Value): Map<string, Value> | undefined {
  const isList = Array.isArray(exact) && exact.some(isObject)
  if (!isList && !isObject(exact)) return undefined
  return new Map(
    Object.entries(exact as object).map(([key, value]) => {
      const name = isList && isObject(value) && typeof value.name === 'string' ? value.name : key
      return [name, { exact: value, shown: (shown as Record<string, unknown> | undefined)?.[key] }]
    }),
  )
}

function text(value: unknown): string {
  return typeof value === 'function' ? String(value) : (JSON.stringify(value) ?? 'unset')
}
