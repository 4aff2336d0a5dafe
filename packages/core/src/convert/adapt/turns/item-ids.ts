/**
 * Removes item ids for a server that does not store items and would fail to find them. All ids are removed, because a
 * call that keeps its id is refused without the reasoning item that came with it.
 */
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../../model/residue.ts'
import type { AdaptContext } from '../context.ts'

export function dropItemIds(
  turns: readonly Turn[],
  { profile, sameWire, report }: AdaptContext,
): readonly Turn[] {
  if (!sameWire || profile.itemIds) return turns
  return turns.map(turn => ({
    ...turn,
    ...withoutId(turn.residue, report),
    parts: turn.parts.map<Part>(part => ({ ...part, ...withoutId(part.residue, report) })),
  }))
}

function withoutId(residue: Residue | undefined, report: Report): { residue?: Residue } {
  if (residue === undefined) return {}
  const isId = ([path]: ResidueEntry): boolean => path.length === 1 && path[0] === 'id'
  for (const [path] of residue.entries.filter(isId)) {
    report('hint_dropped', [...residue.at, ...path], 'The server keeps no items; the id was left out.')
  }
  const withoutIds = (entries: readonly ResidueEntry[]): ResidueEntry[] =>
    entries.filter(entry => !isId(entry))
  return {
    residue: {
      ...residue,
      entries: withoutIds(residue.entries),
      ...(residue.defaults && { defaults: withoutIds(residue.defaults) }),
    },
  }
}
