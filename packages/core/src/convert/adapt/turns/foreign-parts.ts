/** Drops parts that only their source wire can express. */

import { isObject } from '../../../json/object.ts'
import type { HostedPart, OpaquePart, Part, Turn } from '../../../model/conversation.ts'
import { flatMapShared, mapShared, withPartsOrDropped } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'

type PartContext = Pick<AdaptContext, 'target' | 'report' | 'sameWire'>

export function dropForeignParts(turns: readonly Turn[], context: PartContext): readonly Turn[] {
  const { target, report, sameWire } = context
  const keep = (part: Part): Part | readonly Part[] => {
    if ((part.kind !== 'hosted' && part.kind !== 'opaque') || part.wire === target) return part
    if (part.kind === 'opaque' && part.readElsewhere) return []
    const code = part.kind === 'opaque' && part.demand ? 'demand_dropped' : 'part_dropped'
    report(code, part.path, `${nameOf(part)} has no form on the target; it was left out.`)
    return []
  }
  const uncited = (part: Part): Part => withoutCitations(part, context)
  return flatMapShared(turns, turn => {
    const parts = flatMapShared(turn.parts, keep)
    const cites = turn.role === 'assistant' || sameWire
    return withPartsOrDropped(turn, cites ? parts : mapShared(parts, uncited), report)
  })
}

function nameOf(part: HostedPart | OpaquePart): string {
  const type = part.kind === 'hosted' ? part.type : isObject(part.value) ? part.value.type : undefined
  return typeof type === 'string' ? `"${type}"` : 'What could not be read'
}

/** Citations are allowed in assistant turns; only Messages allows them in others. */
function withoutCitations(part: Part, { report }: PartContext): Part {
  if (part.kind !== 'text' || part.citations === undefined || part.citations.length === 0) return part
  for (const { path } of part.citations)
    report('field_dropped', path, 'The target takes citations only from a model.')
  const { citations: _, ...rest } = part
  return rest
}
