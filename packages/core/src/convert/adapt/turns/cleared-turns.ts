/** Leaves out messages that their own provider no longer shows to the LLM. */
import type { Request } from '../../../model/request.ts'
import type { AdaptContext } from '../context.ts'
import { isNativeTurn, mapTurns } from '../context.ts'

export function dropClearedTurns(request: Request, context: AdaptContext): Request {
  if (!request.turns.some(({ cleared }) => cleared)) return request
  return mapTurns(request, turn => {
    if (!turn.cleared || isNativeTurn(turn, context)) return turn
    context.report('turn_cleared', turn.root, 'A message of the user has cleared it; it was left out.')
    return []
  })
}
