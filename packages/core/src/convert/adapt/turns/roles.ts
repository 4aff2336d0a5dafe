/** Maps the developer role, and moves leading system turns to the field for instructions. */
import type { Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, mapTurns } from '../context.ts'

export function adaptRoles(request: Request, context: AdaptContext): Request {
  if (isAllNative(context)) return request
  const { developerRole, instructionsField } = context.profiles.foreign
  const { turns } = request
  // System and developer turns before the first other turn become the instructions.
  const firstOther = instructionsField ? turns.findIndex(turn => !isInstruction(turn)) : 0
  const leading = firstOther < 0 ? turns.length : firstOther
  let at = 0
  return mapTurns(request, turn => {
    const isLeading = at++ < leading
    if (!isInstruction(turn) || isNativeTurn(turn, context)) return turn
    const known = developerRole ? turn : asSystem(turn, context)
    return isLeading && !turn.instructions ? asInstructions(known) : known
  })
}

function isInstruction({ role }: Turn): boolean {
  return role === 'system' || role === 'developer'
}

function asSystem(turn: Turn, { report }: AdaptContext): Turn {
  if (turn.role !== 'developer') return turn
  report(
    'role_changed',
    [...turn.root, 'role'],
    'The target has no developer role; the message is sent as system.',
  )
  return { ...turn, role: 'system' }
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
