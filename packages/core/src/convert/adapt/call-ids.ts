/**
 * Call ids the target refuses, for their length or alphabet, are rewritten: from the id alone, so that call
 * and result change alike, and into a form that is left alone when it comes by again.
 */
import type { Part, Turn } from '../../model/conversation.ts'
import { shortHash } from '../../model/hash.ts'
import type { AdaptContext } from './context.ts'

export function adaptCallIds(turns: readonly Turn[], { profile, report }: AdaptContext): Turn[] {
  const { callIdCharacters, callIdMaxLength } = profile
  if (callIdCharacters === null && callIdMaxLength === Number.POSITIVE_INFINITY) return [...turns]
  const fit = (id: string): string => fitId(id, callIdCharacters, callIdMaxLength)
  const adapt = (part: Part): Part => {
    if (part.kind !== 'call' && part.kind !== 'result') return part
    const given = part.kind === 'call' ? part.id : part.callId
    if (given === undefined || fit(given) === given) return part
    const id = fit(given)
    report(
      'call_id_rewritten',
      part.path,
      `The id "${given}" does not fit the target; it goes as "${id}" on call and result.`,
    )
    return part.kind === 'call' ? { ...part, id } : { ...part, callId: id }
  }
  return turns.map(turn => ({ ...turn, parts: turn.parts.map(adapt) }))
}

/** Cutting alone would make ids with a common beginning collide; the hashes tell them apart. */
function fitId(id: string, characters: string | null, maxLength: number): string {
  const legal = characters === null ? id : id.replace(new RegExp(`[^${characters}]`, 'g'), '_')
  if (legal === id && id.length <= maxLength) return id
  const suffix = `_${shortHash(id)}${shortHash(`${id}#`)}`
  return `${legal.slice(0, maxLength - suffix.length)}${suffix}`
}
