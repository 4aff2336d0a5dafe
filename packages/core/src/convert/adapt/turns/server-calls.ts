/**
 * Server tool calls that the client was sent as items, as if its provider had run them. The upstream made them as
 * function calls, so they are turned back into function calls with results.
 */

import { isResult, type Part, type Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import type { DecodedServerCall } from '../../../wires/define-wire.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isNativeTurn, mapTurns } from '../context.ts'

export function readServerCalls(request: Request, context: AdaptContext): Request {
  const { serverCalls: calls, serverTools = [] } = context.client ?? {}
  if (calls === undefined) return request
  let servers: ReadonlySet<string | undefined> | undefined
  /** The item is foreign to its wire, or it belongs to an MCP server whose tools are run here. */
  const isOurs = ({ server, foreign }: DecodedServerCall): boolean => {
    if (foreign || server === undefined) return foreign
    servers ??= new Set(serverTools.map(tool => tool.server))
    return servers.has(server)
  }
  return mapTurns(request, turn => {
    if (turn.role !== 'assistant' || !turn.parts.some(part => part.kind === 'hosted')) return turn
    const isOwn = isNativeTurn(turn, context)
    const read = calls.decode(turn.parts)
    const parts = mapShared<Part>(turn.parts, part => {
      const serverCall = read.get(part)
      // On its own wire, an item of the provider's own tools stays as it is.
      if (serverCall === undefined || (isOwn && !isOurs(serverCall))) return part
      // The residue of our own items only identifies the server; the upstream does not need it.
      return isOurs(serverCall) ? serverCall.parts.map(({ residue: _, ...rest }) => rest) : serverCall.parts
    })
    return parts === turn.parts && !parts.some(isResult) ? turn : split({ ...turn, parts }, context)
  })
}

/** Results do not belong in an assistant turn: each group of them becomes a separate turn. */
function split(turn: Turn, { source }: AdaptContext): Turn[] {
  const resultRole = source.results === 'with the user' ? 'user' : 'tool'
  const groups: { isAnswer: boolean; parts: Part[] }[] = []
  for (const part of turn.parts) {
    const isResults = isResult(part)
    const last = groups.at(-1)
    if (last?.isAnswer === isResults) last.parts.push(part)
    else groups.push({ isAnswer: isResults, parts: [part] })
  }
  if (!groups.some(({ isAnswer: isResults }) => isResults)) return [turn]
  const { plain: _, residue, ...rest } = turn
  let isFirst = true
  return groups.map(({ isAnswer: isResults, parts }) => {
    if (isResults) return { role: resultRole, parts, root: turn.root }
    const own = isFirst && residue !== undefined ? { residue } : {}
    isFirst = false
    return { ...rest, ...own, parts }
  })
}
