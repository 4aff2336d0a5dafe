/**
 * Rewrites call ids that the target refuses because of their length or characters. The new id depends only on the
 * old one, so call and result stay paired, and a rewritten id is not rewritten again.
 */
import type { Part } from '../../../model/conversation.ts'
import { shortHash } from '../../../model/hash.ts'
import type { Request } from '../../../model/request.ts'
import type { Profile } from '../../../wires/profile.ts'
import { mapShared, withParts } from '../../shared/shared-lists.ts'
import { legalText, patternsOf } from '../characters.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, mapTurns } from '../context.ts'

export function adaptCallIds(request: Request, context: AdaptContext): Request {
  const { profiles, report } = context
  if (isAllNative(context) && !limitsIds(context.profile)) return request
  const [native, foreign] = [createFit(profiles.native), createFit(profiles.foreign)]
  // Call and result may differ in origin; then the id of the result becomes what the id of its call became.
  const ids = context.isMixed ? new Map<string, string>() : undefined
  const adaptWith = (fit: Fit) => (part: Part) => {
    const original = part.kind === 'call' ? part.id : part.kind === 'result' ? part.callId : undefined
    if (original === undefined) return part
    const known = part.kind === 'result' ? ids?.get(original) : undefined
    const id = known ?? fit(original)
    if (part.kind === 'call') ids?.set(original, id)
    if (id === original) return part
    report(
      'call_id_rewritten',
      part.path,
      `The id "${original}" does not fit the target; it goes as "${id}" on call and result.`,
    )
    return part.kind === 'call' ? { ...part, id } : { ...part, callId: id }
  }
  const [adaptNative, adaptForeign] = [adaptWith(native), adaptWith(foreign)]
  return mapTurns(request, turn => {
    const adapt = isNativeTurn(turn, context) ? adaptNative : adaptForeign
    return withParts(turn, mapShared(turn.parts, adapt))
  })
}

type Fit = (id: string) => string

function limitsIds({ callIdCharacters, callIdMaxLength }: Profile): boolean {
  return callIdCharacters !== null || callIdMaxLength !== Number.POSITIVE_INFINITY
}

/** Returns a function from an id to one that fits. */
function createFit({ callIdCharacters, callIdMaxLength }: Profile): Fit {
  const legal = callIdCharacters === null ? undefined : patternsOf(callIdCharacters).only
  return id => {
    const fits =
      id.length <= callIdMaxLength &&
      (legal === undefined || legal.test(id) || legalText(id, callIdCharacters) === id)
    return fits ? id : fitId(id, callIdCharacters, callIdMaxLength)
  }
}

/** Truncated ids with a common prefix would collide; the hashes keep them apart. */
function fitId(id: string, characters: string | null, maxLength: number): string {
  const suffix = `_${shortHash(id)}${shortHash(`${id}#`)}`
  return `${legalText(id, characters).slice(0, maxLength - suffix.length)}${suffix}`
}
