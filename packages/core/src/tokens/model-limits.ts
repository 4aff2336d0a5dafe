/** Finds the entry of a model in a table of facts by model, such as the largest output (`presets/models.ts`). */
import { isObject } from '../json/object.ts'
import { beginningsOf } from '../model/model-name.ts'
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

/** The entry whose key is the model's name or the longest beginning of it. */
export function longestMatch<T>(
  model: unknown,
  table: { readonly [name: string]: T },
  accepts: (value: T) => boolean = () => true,
): T | undefined {
  if (typeof model !== 'string' || !isObject(table)) return undefined
  for (const key of beginningsOf(model)) {
    const found = Object.hasOwn(table, key) ? table[key] : undefined
    if (found !== undefined && accepts(found)) return found
  }
  return undefined
}
