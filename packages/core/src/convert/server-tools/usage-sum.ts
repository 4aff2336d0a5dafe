/** What several answers cost together. */

import { isObject, own } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'

const shares = ['cacheRead', 'cacheWrite', 'reasoning'] as const

export function addUsage(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more
  const summed = shares
    .filter(share => before[share] !== undefined || more[share] !== undefined)
    .map(share => [share, (before[share] ?? 0) + (more[share] ?? 0)])
  const residue = addResidue(before.residue, more.residue)
  return {
    input: before.input + more.input,
    output: before.output + more.output,
    ...Object.fromEntries(summed),
    ...(residue !== undefined && { residue }),
  }
}

/** Counts that only one wire has are added up too; of words, the last one counts. */
function addResidue(before: Residue | undefined, more: Residue | undefined): Residue | undefined {
  if (before === undefined || more === undefined) return more ?? before
  const entries = addEntries(before.entries, more.entries)
  const said = new Set(entries.map(([path]) => JSON.stringify(path)))
  // A zero that was no news in the one answer must not hide the count of the other.
  const quiet = addEntries(before.defaults ?? [], more.defaults ?? [])
  return { ...more, entries, defaults: quiet.filter(([path]) => !said.has(JSON.stringify(path))) }
}

function addEntries(before: readonly ResidueEntry[], more: readonly ResidueEntry[]): ResidueEntry[] {
  const sums = new Map<string, ResidueEntry>(before.map(entry => [JSON.stringify(entry[0]), entry]))
  for (const [path, value] of more) {
    const key = JSON.stringify(path)
    sums.set(key, [path, addValues(sums.get(key)?.[1], value)])
  }
  return [...sums.values()]
}

/** Counts may be nested, as in a server's own tools; the nesting of a count is never deep. */
function addValues(before: unknown, more: unknown, depth = 0): unknown {
  if (typeof before === 'number' && typeof more === 'number') return before + more
  if (more === undefined || more === null) return before ?? more
  if (depth > 8 || !isObject(before) || !isObject(more)) return more
  const keys = new Set([...Object.keys(before), ...Object.keys(more)])
  return Object.fromEntries(
    [...keys].map(key => [key, addValues(own(before, key), own(more, key), depth + 1)]),
  )
}
