/** "Did you mean …?" for words typed on the command line or in a configuration. */
import { nearestNames } from '@toolwire/core/diagnostics'

/** Candidates that begin with the word come first: people abbreviate. */
export function nearest(word: string, candidates: readonly string[], count = 1): string[] {
  const start = word.toLowerCase()
  const completions =
    start.length > 2 ? candidates.filter(candidate => candidate.toLowerCase().startsWith(start)) : []
  return [...new Set([...completions, ...nearestNames(word, candidates, count)])].slice(0, count)
}

export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const [best] = nearest(word, candidates)
  return best === undefined ? undefined : `Did you mean "${best}"?`
}
