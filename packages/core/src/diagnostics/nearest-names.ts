/** Which of the known names someone probably meant. */

/** Longer names are not typed by hand, and comparing them costs the square of their length. */
const longest = 100

/** At most three, the nearest first; of equally near ones, in the order given. */
export function nearest(name: string, known: Iterable<string>): string[] {
  if (name.length > longest) return []
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  const found: { candidate: string; distance: number }[] = []
  for (const candidate of known) {
    const distance = distanceWithin(name.toLowerCase(), candidate.toLowerCase(), limit)
    if (distance <= limit) found.push({ candidate, distance })
  }
  found.sort((a, b) => a.distance - b.distance)
  return found.slice(0, 3).map(({ candidate }) => candidate)
}

/** Edit distance, or any number above `limit` as soon as it must be more. */
function distanceWithin(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    if (Math.min(...row) > limit) return limit + 1
    previous = row
  }
  return previous[b.length] ?? 0
}
