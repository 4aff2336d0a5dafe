/**
 * Rewrites call ids that the target refuses because of their length or characters. The new id depends only on the
 * old one, so call and result stay paired, and a rewritten id is not rewritten again.
 */
import type { Part, Turn } from '../../../model/conversation.ts'
import { shortHash } from '../../../model/hash.ts'
import { mapParts } from '../../shared/shared-lists.ts'
import { legalText, patternsOf } from '../characters.ts'
import type { AdaptContext } from '../context.ts'

export function adaptCallIds(turns: readonly Turn[], { profile, report }: AdaptContext): readonly Turn[] {
  const { callIdCharacters, callIdMaxLength } = profile
  if (callIdCharacters === null && callIdMaxLength === Number.POSITIVE_INFINITY) return turns
  const legal = callIdCharacters === null ? undefined : patternsOf(callIdCharacters).only
  const fits = (id: string): boolean =>
    id.length <= callIdMaxLength &&
    (legal === undefined || legal.test(id) || legalText(id, callIdCharacters) === id)
  const adapt = (part: Part): Part => {
    if (part.kind !== 'call' && part.kind !== 'result') return part
    const original = part.kind === 'call' ? part.id : part.callId
    if (original === undefined || fits(original)) return part
    const id = fitId(original, callIdCharacters, callIdMaxLength)
    report(
      'call_id_rewritten',
      part.path,
      `The id "${original}" does not fit the target; it goes as "${id}" on call and result.`,
    )
    return part.kind === 'call' ? { ...part, id } : { ...part, callId: id }
  }
  return mapParts(turns, adapt)
}

/** Truncated ids with a common prefix would collide; the hashes keep them apart. */
function fitId(id: string, characters: string | null, maxLength: number): string {
  const suffix = `_${shortHash(id)}${shortHash(`${id}#`)}`
  return `${legalText(id, characters).slice(0, maxLength - suffix.length)}${suffix}`
}
