/**
 * The most tokens a model may write in one answer. Gathered from public pages, as of November 2026, and bound to age;
 * a model that is not listed has no limit here, and a caller's own figures come first.
 */
import { isObject } from '../json/object.ts'

/** A model's name, or the beginning of one, to its largest output. */
export type ModelLimits = { readonly [model: string]: number }

export const modelLimits: ModelLimits = {
  'gpt-3.5-turbo': 4096,
  'gpt-4': 8192,
  'gpt-4-turbo': 4096,
  'gpt-4o': 16384,
  'gpt-4o-2024-05-13': 4096,
  'gpt-4.1': 32768,
  'gpt-4.5-preview': 16384,
  'gpt-5': 128000,
  'gpt-5-chat': 16384,
  'gpt-5-pro': 272000,
  'gpt-5.1': 128000,
  'gpt-5.1-chat': 16384,
  'gpt-5.2': 128000,
  'gpt-5.2-chat': 16384,
  'gpt-5.4': 128000,
  'gpt-5.5': 128000,
  'gpt-oss': 131072,
  o1: 100000,
  'o1-mini': 65536,
  'o1-preview': 32768,
  o3: 100000,
  'o4-mini': 100000,
  'claude-3-opus': 4096,
  'claude-3-haiku': 4096,
  'claude-3-5-haiku': 8192,
  'claude-3-5-sonnet': 8192,
  'claude-3-7-sonnet': 64000,
  'claude-haiku-4-5': 64000,
  'claude-opus-4-0': 32000,
  'claude-opus-4-20250514': 32000,
  'claude-opus-4-1': 32000,
  'claude-opus-4-5': 64000,
  'claude-opus-4-6': 128000,
  'claude-opus-4-7': 128000,
  'claude-opus-4-8': 128000,
  'claude-opus-5': 128000,
  'claude-sonnet-4-0': 64000,
  'claude-sonnet-4-20250514': 64000,
  'claude-sonnet-4-5': 64000,
  'claude-sonnet-4-6': 128000,
  'claude-sonnet-5': 128000,
  'claude-fable-5': 128000,
}

/** The model's largest output; `undefined`: not known, so nothing is capped. */
export function outputLimitOf(model: unknown, models?: ModelLimits): number | undefined {
  return (models && longestMatch(model, models, isLimit)) ?? longestMatch(model, modelLimits, isLimit)
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

/**
 * The entry whose key is the model's name or the longest beginning of it that ends where a word does, so that
 * `gpt-4` means `gpt-4-0613` but not `gpt-4.1`. What a router writes before a slash does not count.
 */
export function longestMatch<T>(
  model: unknown,
  table: { readonly [name: string]: unknown },
  accepts: (value: unknown) => value is T,
): T | undefined {
  if (typeof model !== 'string' || !isObject(table)) return undefined
  for (const name of new Set([model, model.slice(model.lastIndexOf('/') + 1)])) {
    for (let end = name.length; end > 0; end = lastBreak(name, end - 1)) {
      const key = name.slice(0, end)
      const found = Object.hasOwn(table, key) ? table[key] : undefined
      if (accepts(found)) return found
    }
  }
  return undefined
}

/** Where the last of the marks that end a word stands at or before `from`; 0 when there is none. */
function lastBreak(name: string, from: number): number {
  for (let at = from; at > 0; at--) if ('-:@'.includes(name[at] ?? ' ')) return at
  return 0
}
