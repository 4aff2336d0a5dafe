/**
 * Removes item ids for a server that does not store items and would fail to find them. All ids are removed, because a
 * call that keeps its id is refused without the reasoning item that came with it.
 */
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { filterResidue, type Residue, type ResidueEntry } from '../../../model/residue.ts'
import { mapShared, withParts } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, mapTurns } from '../context.ts'

export function dropItemIds(request: Request, context: AdaptContext): Request {
  const { target, profiles, report, isMixed } = context
  // The residue of another wire is not written, so only ids of this wire matter.
  const isOfWire = (origin: Turn['origin']): boolean => origin?.wire === target.wire
  if (!isMixed && !isOfWire(context.origin)) return request
  if (isAllNative(context) && context.profile.itemIds) return request
  const drop = <T extends { readonly residue?: Residue }>(owner: T): T => withoutId(owner, report)
  return mapTurns(request, turn => {
    if (isNativeTurn(turn, context) && profiles.native.itemIds) return turn
    if (isMixed && !isOfWire(turn.origin === undefined ? context.origin : turn.origin)) return turn
    return drop(withParts(turn, mapShared(turn.parts, drop)))
  })
}

function withoutId<T extends { readonly residue?: Residue }>(owner: T, report: Report): T {
  const { residue } = owner
  if (residue === undefined) return owner
  const isId = ([path]: ResidueEntry): boolean => path.length === 1 && path[0] === 'id'
  if (!residue.entries.some(isId) && !residue.defaults?.some(isId)) return owner
  for (const [path] of residue.entries.filter(isId)) {
    report('hint_dropped', [...residue.at, ...path], 'The server keeps no items; the id was left out.')
  }
  return { ...owner, residue: filterResidue(residue, entry => !isId(entry)) }
}
