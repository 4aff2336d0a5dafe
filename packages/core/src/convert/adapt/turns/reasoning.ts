/** Sends sealed reasoning only to the wire it came from, and the text of reasoning to targets that accept it. */
import type { Part, ReasoningPart, Turn } from '../../../model/conversation.ts'
import { flatMapParts } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'

export function adaptReasoning(turns: readonly Turn[], context: AdaptContext): readonly Turn[] {
  if (context.sameWire) return turns
  return flatMapParts(turns, context.report, part =>
    part.kind !== 'reasoning' || isFromTarget(part, context) ? part : adapt(part, context),
  )
}

/** Sealed by the target itself and replayed from a stored turn, so it can be sent back. */
function isFromTarget({ seal, residue }: ReasoningPart, { target }: AdaptContext): boolean {
  return seal?.wire === target || residue?.wire === target
}

function adapt({ seal, ...part }: ReasoningPart, { profile, report }: AdaptContext): Part[] {
  if (seal !== undefined) {
    report(
      'reasoning_sealed',
      part.path,
      'Signed or encrypted reasoning means something only to its origin; it was left out.',
    )
  }
  if (profile.reasoningText && part.text.length > 0) return [part]
  const empty = part.text.length === 0 && part.summary.length === 0
  // Reasoning that was only a seal has been reported already.
  if (!empty || seal === undefined)
    report('reasoning_dropped', part.path, 'The target takes no such reasoning; it was left out.')
  return []
}
