/** Which known names someone probably meant who wrote an unknown one: the search behind "Did you mean …?". */

/** The cost grows with the square of the length, and nobody types longer names by hand. */
const maxLength = 100

/** Returns up to `count` known names, nearest first; equally near ones stay in the order of `known`. Case is ignored. */
export function nearestNames(name: string, known: Iterable<string>, count = 3): string[] {
  if (name.length > maxLength) return []
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  const found: { candidate: string; distance: number }[] = []
  for (const candidate of known) {
    const distance = distanceWithin(name.toLowerCase(), candidate.toLowerCase(), limit)
    if (distance <= limit) found.push({ candidate, distance })
  }
  found.sort((a, b) => a.distance - b.distance)
  return found.slice(0, count).map(({ candidate }) => candidate)
}

/**
 * Edit distance, where swapping two neighbours counts as one edit (optimal string alignment). Returns a number above
 * `limit` as soon as the distance must exceed it.
 */
function distanceWithin(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : replaced
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    // A swap reaches back two rows, so both must be over the limit.
    if (Math.min(...row) > limit && Math.min(...last) > limit) return limit + 1
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
