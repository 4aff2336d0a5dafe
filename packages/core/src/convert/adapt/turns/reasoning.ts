/** Sends sealed reasoning only to its origin, and the text of reasoning only to targets that accept it. */
import type { Part, ReasoningPart } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { mapShared, withPartsOrDropped } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, mapTurns } from '../context.ts'

export function adaptReasoning(request: Request, context: AdaptContext): Request {
  if (isAllNative(context) && context.profile.reasoningText) return request
  const adaptNative = (part: Part): Part | readonly Part[] =>
    part.kind === 'reasoning' && part.seal === undefined && part.text.length > 0
      ? refuse(part, context)
      : part
  const adaptForeign = (part: Part): Part | readonly Part[] =>
    part.kind === 'reasoning' ? adapt(part, context) : part
  return mapTurns(request, turn => {
    const isOwn = isNativeTurn(turn, context)
    if (isOwn && context.profiles.native.reasoningText) return turn
    const parts = mapShared(turn.parts, isOwn ? adaptNative : adaptForeign)
    return withPartsOrDropped(turn, parts, context.report)
  })
}

function adapt(part: ReasoningPart, context: AdaptContext): Part | readonly Part[] {
  const { seal, ...unsealed } = part
  if (seal !== undefined) {
    context.report(
      'reasoning_sealed',
      part.path,
      'Signed or encrypted reasoning means something only to its origin; it was left out.',
    )
  }
  if (context.profiles.foreign.reasoningText && part.text.length > 0)
    return seal === undefined ? part : unsealed
  const isEmpty = part.text.length === 0 && part.summary.length === 0
  // Reasoning that was only a seal has been reported already.
  return isEmpty && seal !== undefined ? [] : refuse(part, context)
}

function refuse({ path }: ReasoningPart, { report }: AdaptContext): readonly Part[] {
  report('reasoning_dropped', path, 'The target takes no such reasoning; it was left out.')
  return []
}
