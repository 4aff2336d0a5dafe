/**
 * Which fixes may be written into a text. What a fix puts in place of something was made from the value, so
 * where the value has already lost something of the text, the fix would make the loss final.
 */
import type { LintFix } from '@toolwire/core/lint'
import type { JsonDocument } from '../../terminal/json-document.ts'

export function createFixFilter(document: JsonDocument): (fix: LintFix) => boolean {
  const offsets = document.flaws.map(({ range }) => range.offset)
  const doubled = new Set(
    document.flaws.flatMap(({ code, path }) => (code === 'duplicate_key' ? [JSON.stringify(path)] : [])),
  )
  const isSafe = (fix: LintFix): boolean =>
    fix.edits.every(({ path }) => {
      // Of two values under one key nobody can say which is meant.
      for (let length = 1; doubled.size > 0 && length <= path.length; length++) {
        if (doubled.has(JSON.stringify(path.slice(0, length)))) return false
      }
      const node = document.find(path)
      return node === undefined || !hasBetween(offsets, node.offset, node.offset + node.length)
    })
  const known = new Map<LintFix, boolean>()
  return fix => {
    const safe = known.get(fix) ?? isSafe(fix)
    known.set(fix, safe)
    return safe
  }
}

/** Whether one of the sorted numbers lies in the range. */
function hasBetween(sorted: readonly number[], from: number, to: number): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return (sorted[low] ?? Number.POSITIVE_INFINITY) < to
}
