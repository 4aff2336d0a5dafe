/** Finds the entry of a model in a table of facts by model, such as the largest output (`presets/models.ts`). */
import { isObject } from '../json/object.ts'
import type { ModelLimits } from '../presets/models.ts'
import { modelLimits } from '../presets/models.ts'

/** The model's largest output; `undefined`: not known, so nothing is capped. */
export function outputLimitOf(model: unknown, models?: ModelLimits): number | undefined {
  return (models && longestMatch(model, models, isLimit)) ?? longestMatch(model, modelLimits)
}

// A caller's table is not checked by the compiler where the caller is JavaScript.
function isLimit(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

/**
 * The entry whose key is the model's name or the longest beginning of it that ends where a word does, so that
 * `gpt-4` means `gpt-4-0613` but not `gpt-4.1`. A router's prefix before a slash is ignored.
 */
export function longestMatch<T>(
  model: unknown,
  table: { readonly [name: string]: T },
  accepts: (value: T) => boolean = () => true,
): T | undefined {
  if (typeof model !== 'string' || !isObject(table)) return undefined
  for (const name of new Set([model, model.slice(model.lastIndexOf('/') + 1)])) {
    for (let end = name.length; end > 0; end = lastBreak(name, end - 1)) {
      const key = name.slice(0, end)
      const found = Object.hasOwn(table, key) ? table[key] : undefined
      if (found !== undefined && accepts(found)) return found
    }
  }
  return undefined
}

/** The last index at or before `from` of a character that ends a word; 0 when there is none. */
function lastBreak(name: string, from: number): number {
  for (let at = from; at > 0; at--) if ('-:@'.includes(name[at] ?? ' ')) return at
  return 0
}
