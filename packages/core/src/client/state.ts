/**
 * The saved state of a conversation: plain JSON that can be stored and resumed. It contains the request in the wire's
 * own form with the full history, so it can also be read or sent without this library.
 */

import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Usage } from '../model/answer.ts'
import type { Turn } from '../model/conversation.ts'
import type { Request } from '../model/request.ts'
import type { LoopResult, PendingCall, StopReason } from '../runtime/conversation/types.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { History } from './history.ts'
import { allTurns } from './history.ts'
import type { Memory } from './server-memory.ts'

const version = 1

/** A conversation as plain JSON, from which it can go on later and elsewhere. */
export interface ConversationState {
  readonly version: typeof version
  readonly wire: string
  /** The caller's request with all turns since, without the program's tools. */
  readonly request: JsonObject
  /** How many of the last messages or items came after the last answer. */
  readonly fresh: number
  readonly reason: StopReason
  /** Calls that need results before the conversation can continue. */
  readonly pending: readonly PendingCall[]
  /** The number of answers so far. */
  readonly rounds: number
  readonly usage: Usage
  readonly truncated: boolean
  readonly memory: Memory
}

interface StateParts {
  readonly codec: WireConversation
  readonly request: Request
  readonly history: History
  readonly memory: Memory
  readonly result: Pick<LoopResult, 'reason' | 'pending' | 'rounds' | 'usage' | 'truncated'>
}

export function writeState({ codec, request, history, memory, result }: StateParts): ConversationState {
  const { reason, pending, rounds, usage, truncated } = result
  const write = (turns: readonly Turn[]): JsonObject =>
    codec.encodeRequest({ ...request, turns }, () => undefined)
  const state: ConversationState = {
    version,
    wire: codec.wire,
    request: write(allTurns(history)),
    fresh: countItems(write(history.fresh.filter(turn => !turn.instructions)), codec),
    reason,
    pending,
    rounds,
    usage,
    truncated,
    memory,
  }
  // A copy, so that no object is shared with the caller; it also proves that the state is JSON.
  return JSON.parse(JSON.stringify(state)) as ConversationState
}

function countItems(body: JsonObject, { habits }: WireConversation): number {
  const items = own(body, habits.history)
  return Array.isArray(items) ? items.length : items === undefined ? 0 : 1
}

/** A stored state may have been changed, so it is checked first. */
export function checkState(state: unknown): ConversationState {
  const wrong = (what: string): TypeError =>
    new TypeError(`"state" must be the state that an earlier runConversation returned: ${what}.`)
  if (!isObject(state)) throw wrong(`it is ${show(state)}`)
  if (own(state, 'version') !== version)
    throw wrong(`its version is ${show(own(state, 'version'))}, and this library reads version ${version}`)
  const wire = own(state, 'wire')
  if (typeof wire !== 'string') throw wrong(`its wire is ${show(wire)}`)
  if (!isObject(own(state, 'request'))) throw wrong(`its request is ${show(own(state, 'request'))}`)
  for (const key of ['fresh', 'rounds']) {
    const value = own(state, key)
    if (!Number.isInteger(value) || (value as number) < 0) throw wrong(`its ${key} is ${show(value)}`)
  }
  const usage = own(state, 'usage')
  if (!isObject(usage) || typeof own(usage, 'input') !== 'number' || typeof own(usage, 'output') !== 'number')
    throw wrong('its usage has no numbers "input" and "output"')
  const pending = own(state, 'pending')
  if (
    !Array.isArray(pending) ||
    !pending.every(call => isObject(call) && typeof own(call, 'id') === 'string')
  )
    throw wrong('its pending calls are not a list of calls with ids')
  if (!isObject(own(state, 'memory'))) throw wrong(`its memory is ${show(own(state, 'memory'))}`)
  // The fields that are used without a default have just been checked.
  return state as unknown as ConversationState
}

/** The history of a state: one turn per message or item, of which the last `fresh` ones came after the last answer. */
export function readHistory(turns: readonly Turn[], fresh: number): History {
  const at = turns.length - Math.min(fresh, turns.length)
  return { settled: turns.slice(0, at), fresh: turns.slice(at) }
}
