/** Turns calls of hosted tools that the client runs into function calls, for a wire without such items. */

import { isResult, type Part } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { mapShared, withParts } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { mapTurns } from '../context.ts'

export function readHostedCalls(request: Request, { client, isNative, target }: AdaptContext): Request {
  const calls = client?.hostedCalls
  if (isNative || calls === undefined) return request
  const idOfCall = new Map<string, string>()
  const read = (part: Part): Part => {
    if (part.kind !== 'hosted' || part.wire === target.wire) return part
    const { id, call_id } = part.value
    if (typeof id === 'string' && typeof call_id === 'string') idOfCall.set(id, call_id)
    return calls.decode(part, idOfCall) ?? part
  }
  return mapTurns(request, turn => {
    const parts = mapShared(turn.parts, read)
    const answers = turn.role !== 'tool' && parts.some(isResult)
    return answers ? { ...turn, parts, role: 'tool' } : withParts(turn, parts)
  })
}
