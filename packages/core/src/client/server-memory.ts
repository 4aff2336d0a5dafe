/**
 * A server that remembers is sent only what is new. One that turns out not to is sent everything from then on; the
 * two are never mixed, because the history would be there twice.
 */

import type { Turn } from '../model/conversation.ts'
import type { Request } from '../model/request.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { History } from './history.ts'
import { allTurns } from './history.ts'

export interface Memory {
  /** The last answer's id. */
  readonly previous?: string
  /** The server was asked to go on from an answer and could not: it is not asked again. */
  readonly sendsAll: boolean
}

/** The answer to go on from, and the field that names it. */
export interface Previous {
  readonly field: string
  readonly id: string
}

interface SessionPosition {
  readonly request: Request
  readonly history: History
  readonly memory: Memory
  readonly begun: boolean
}

export function turnsToSend(
  { request, history, memory, begun }: SessionPosition,
  { codec, onlyNew }: { readonly codec: WireConversation; readonly onlyNew?: boolean },
): { turns: readonly Turn[]; previous?: Previous } {
  const habit = codec.habits.memory
  // Instructions are no part of what a server remembers.
  const newTurns = (): Turn[] => [...history.settled.filter(turn => turn.instructions), ...history.fresh]
  if (habit !== undefined && begun && hasField(request, habit.conversation)) return { turns: newTurns() }
  if (habit === undefined || onlyNew !== true || memory.sendsAll || memory.previous === undefined)
    return { turns: allTurns(history) }
  return { turns: newTurns(), previous: { field: habit.previous, id: memory.previous } }
}

function hasField({ residue }: Request, field: string): boolean {
  return (
    residue?.entries.some(([path, value]) => path.length === 1 && path[0] === field && value !== null) ??
    false
  )
}

interface ErrorFields {
  readonly message: string
  readonly code?: string | undefined
  readonly param?: string | undefined
}

/** Whether the server says that it does not know the earlier answer, or no earlier answers at all. */
export function isUnknownAnswer({ message, code, param }: ErrorFields, { field, id }: Previous): boolean {
  return (
    param === field ||
    code === 'previous_response_not_found' ||
    message.includes(id) ||
    /previous[_ ]response/i.test(message) ||
    /no tool call found for .{0,60}output/i.test(message)
  )
}
