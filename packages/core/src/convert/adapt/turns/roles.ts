/** Maps the developer role, and moves leading system turns to the field for instructions. */
import type { Turn } from '../../../model/conversation.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'

export function adaptRoles(
  turns: readonly Turn[],
  { profile, sameWire, report }: AdaptContext,
): readonly Turn[] {
  if (sameWire) return turns
  const known = mapShared(turns, turn => {
    if (turn.role !== 'developer' || profile.developerRole) return turn
    report(
      'role_changed',
      [...turn.root, 'role'],
      'The target has no developer role; the message is sent as system.',
    )
    return { ...turn, role: 'system' } as const
  })
  if (!profile.instructionsField) return known
  // System and developer turns before the first other turn become the instructions.
  const firstOther = known.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = firstOther < 0 ? known.length : firstOther
  let at = 0
  return mapShared(known, turn => (at++ < leading ? asInstructions(turn) : turn))
}

function asInstructions({ role, parts, root, plain, residue }: Turn): Turn {
  return {
    role,
    parts,
    root,
    instructions: true,
    ...(plain !== undefined && { plain }),
    ...(residue !== undefined && { residue }),
  }
}
