/** "Did you mean": the candidates with the smallest edit distance, if it is small enough. */

export function nearest(word: string, candidates: readonly string[], count = 1): string[] {
  const given = word.slice(0, 60).toLowerCase()
  const near = (candidate: string): number => {
    if (given.length > 2 && candidate.toLowerCase().startsWith(given)) return 0.5
    return distance(given, candidate.toLowerCase())
  }
  return candidates
    .map(candidate => ({ candidate, steps: near(candidate) }))
    .filter(
      ({ candidate, steps }) =>
        steps <= Math.max(1, Math.floor(Math.max(given.length, candidate.length) / 3)),
    )
    .sort((a, b) => a.steps - b.steps)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const [best] = nearest(word, candidates)
  return best === undefined ? undefined : `Did you mean "${best}"?`
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
