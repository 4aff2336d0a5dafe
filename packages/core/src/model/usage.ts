/** Adds up the token counts of several answers. */

import { compact, isObject, own } from '../json/object.ts'
import type { Usage } from './answer.ts'
import type { Residue, ResidueEntry } from './residue.ts'

export const noUsage: Usage = Object.freeze({ input: 0, output: 0 })

/**
 * The sum of the token counts alone. A conversation may go on over another wire, so its total holds no residue.
 * A detail that neither side reports stays absent.
 */
export function addTokens(total: Usage, more: Usage | undefined): Usage {
  if (more === undefined) return total
  const sum = (key: 'cacheRead' | 'cacheWrite' | 'reasoning'): number | undefined =>
    total[key] === undefined && more[key] === undefined ? undefined : (total[key] ?? 0) + (more[key] ?? 0)
  return {
    input: total.input + more.input,
    output: total.output + more.output,
    ...compact({
      cacheRead: sum('cacheRead'),
      cacheWrite: sum('cacheWrite'),
      reasoning: sum('reasoning'),
    }),
  }
}

/** All tokens in one sum, those of a compaction too. */
export function totalUsage({ compaction, ...usage }: Usage): Usage {
  return compaction === undefined ? usage : { ...usage, ...addTokens(usage, compaction) }
}

/** The usage of answers that one client sees as one answer: token counts, and the counts that only their wire has. */
export function addUsage(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more
  return { ...addTokens(before, more), ...compact({ residue: addResidue(before.residue, more.residue) }) }
}

function addResidue(before: Residue | undefined, more: Residue | undefined): Residue | undefined {
  if (before === undefined || more === undefined) return more ?? before
  const entries = addEntries(before.entries, more.entries)
  const reported = new Set(entries.map(([path]) => JSON.stringify(path)))
  // A zero that is only a default in one answer must not overwrite the count of the other.
  const defaults = addEntries(before.defaults ?? [], more.defaults ?? [])
  return { ...more, entries, defaults: defaults.filter(([path]) => !reported.has(JSON.stringify(path))) }
}

function addEntries(before: readonly ResidueEntry[], more: readonly ResidueEntry[]): ResidueEntry[] {
  const sums = new Map<string, ResidueEntry>(before.map(entry => [JSON.stringify(entry[0]), entry]))
  for (const [path, value] of more) {
    const key = JSON.stringify(path)
    sums.set(key, [path, addValues(sums.get(key)?.[1], value)])
  }
  return [...sums.values()]
}

/** Numbers are added and objects merged; of anything else, such as a service tier, the later value wins. */
function addValues(before: unknown, more: unknown, depth = 0): unknown {
  if (typeof before === 'number' && typeof more === 'number') return before + more
  if (more === undefined || more === null) return before ?? more
  if (depth > 8 || !isObject(before) || !isObject(more)) return more
  const keys = new Set([...Object.keys(before), ...Object.keys(more)])
  return Object.fromEntries(
    [...keys].map(key => [key, addValues(own(before, key), own(more, key), depth + 1)]),
  )
}
