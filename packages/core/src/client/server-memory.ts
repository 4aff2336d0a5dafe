/**
 * Which turns to send. A server that stores answers gets only new turns. If it turns out not to know the last answer,
 * it gets the full history from then on; mixing both would repeat turns.
 */

import type { Turn } from '../model/conversation.ts'
import type { Request } from '../model/request.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { History } from './history.ts'
import { allTurns } from './history.ts'

export interface Memory {
  /** The last answer's id. */
  readonly previous?: string
  /** The server did not know an earlier answer, so every request contains the full history. */
  readonly sendsAll: boolean
}

/** The answer to continue from, and the field for its id. */
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
  // Servers do not store instructions, so they are sent every time.
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

/** True if the error says that the server does not know the earlier answer, or stores none at all. */
export function isUnknownAnswer({ message, code, param }: ErrorFields, { field, id }: Previous): boolean {
  return (
    param === field ||
    code === 'previous_response_not_found' ||
    message.includes(id) ||
    /previous[_ ]response/i.test(message) ||
    /no tool call found for /i.test(message)
  )
}
