/** Drops parts that only their source wire can express. */

import { isObject } from '../../../json/object.ts'
import type { HostedPart, OpaquePart, Part, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { mapShared, withPartsOrDropped } from '../../shared/shared-lists.ts'
import type { AdaptContext, TurnContext } from '../context.ts'
import { isNativeTurn, withTurns } from '../context.ts'

export function dropForeignParts(request: Request, context: AdaptContext): Request {
  return withTurns(request, withoutForeignParts(request.turns, context))
}

/** Also for the turns of an answer, whose target is the client. */
export function withoutForeignParts(
  turns: readonly Turn[],
  context: TurnContext & Pick<AdaptContext, 'report'>,
): readonly Turn[] {
  const { target, report } = context
  const keep = (part: Part): Part | readonly Part[] => {
    if ((part.kind !== 'hosted' && part.kind !== 'opaque') || part.wire === target.wire) return part
    if (part.readElsewhere) {
      if (part.kind === 'hosted')
        report('hint_dropped', part.path, 'Its tools are declared with the others; the item was left out.')
      return []
    }
    const code = part.kind === 'opaque' && part.demand ? 'demand_dropped' : 'part_dropped'
    report(code, part.path, `${nameOf(part)} has no form on the target; it was left out.`)
    return []
  }
  const uncited = (part: Part): Part => withoutCitations(part, report)
  return mapShared(turns, turn => {
    const parts = mapShared(turn.parts, keep)
    const cites = turn.role === 'assistant' || isNativeTurn(turn, context)
    return withPartsOrDropped(turn, cites ? parts : mapShared(parts, uncited), report)
  })
}

function nameOf(part: HostedPart | OpaquePart): string {
  const type = part.kind === 'hosted' ? part.type : isObject(part.value) ? part.value.type : undefined
  return typeof type === 'string' ? `"${type}"` : 'What could not be read'
}

/** Citations are allowed in assistant turns; only Messages allows them in others. */
function withoutCitations(part: Part, report: Report): Part {
  if (part.kind !== 'text' || part.citations === undefined || part.citations.length === 0) return part
  for (const { path } of part.citations)
    report('field_dropped', path, 'The target takes citations only from a model.')
  const { citations: _, ...rest } = part
  return rest
}
