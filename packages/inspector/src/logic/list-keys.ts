/** Where a key leads to in the list. */
import type { ListRow } from './grouping.ts'

const moves: { readonly [key: string]: (at: number, last: number) => number } = {
  ArrowDown: at => at + 1,
  j: at => at + 1,
  ArrowUp: at => at - 1,
  k: at => at - 1,
  PageDown: at => at + 10,
  PageUp: at => at - 10,
  Home: () => 0,
  End: (_, last) => last,
}

/** The index of a row that can be looked at: an exchange, or the head of a folded conversation. */
export function rowAfterKey(rows: readonly ListRow[], at: number, key: string): number | undefined {
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined
  if (move === undefined) return undefined
  const last = rows.length - 1
  const wanted = Math.max(0, Math.min(last, move(at, last)))
  const step = wanted < at ? -1 : 1
  return search(rows, wanted, step) ?? search(rows, wanted, -step)
}

function search(rows: readonly ListRow[], from: number, step: number): number | undefined {
  for (let i = from; i >= 0 && i < rows.length; i += step) {
    const row = rows[i]
    if (row !== undefined && !(row.kind === 'group' && row.isOpen)) return i
  }
  return undefined
}
