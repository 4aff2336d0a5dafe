/** What a history holds, found in one walk, so that adaptations of what it does not hold are not started. */
import type { Part, Turn } from '../../model/conversation.ts'

/**
 * `media`: images, files and the like. `special`: parts of one wire only, and citations. `residue`: fields of one wire only,
 * on parts. All of them also inside of results.
 */
export type HistoryTrait = 'calls' | 'reasoning' | 'media' | 'special' | 'residue'

export function traitsOf(turns: readonly Turn[]): ReadonlySet<HistoryTrait> {
  const found = new Set<HistoryTrait>()
  for (const { parts } of turns) addTraits(parts, found)
  return found
}

function addTraits(parts: readonly Part[], found: Set<HistoryTrait>): void {
  for (const part of parts) {
    const { kind } = part
    if (part.residue !== undefined) found.add('residue')
    if (kind === 'call' || kind === 'result') found.add('calls')
    if (kind === 'result') addTraits(part.content, found)
    else if (kind === 'reasoning') found.add(kind)
    else if (kind === 'image' || kind === 'file' || (kind === 'opaque' && part.media)) found.add('media')
    if (kind === 'hosted' || kind === 'opaque' || (kind === 'text' && part.citations)) found.add('special')
  }
}
