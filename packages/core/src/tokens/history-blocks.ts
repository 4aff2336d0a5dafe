/**
 * A conversation in blocks that may be left out one by one: a call stays with its results, calls side by side
 * stay together, and all that an assistant says in a row, its reasoning with it, is one piece.
 */

import { type JsonObject, own } from '../json/object.ts'
import type { CallPart, HostedPart, Part, Turn } from '../model/conversation.ts'

/** One message or item of the conversation. */
export interface HistoryEntry {
  readonly turn: Turn
  /** Where it stands in the list. */
  readonly index: number
  readonly tokens: number
  /** System and developer messages, and items that declare something for the whole request. */
  readonly pinned: boolean
  /** Something a user says, with which a conversation can begin. */
  readonly opens: boolean
}

export function readEntry(turn: Turn, index: number, tokens: number): HistoryEntry {
  const { role, parts } = turn
  const declares = parts.some(part => part.kind === 'opaque' && (part.readElsewhere || part.demand) === true)
  const pinned = role === 'system' || role === 'developer' || declares
  return { turn, index, tokens, pinned, opens: role === 'user' && !pinned && !parts.some(isResult) }
}

export interface Block {
  /** Without what is pinned: that stays whatever becomes of the block. */
  readonly entries: readonly HistoryEntry[]
  readonly opens: boolean
  readonly tokens: number
}

/** The blocks in order; none of them is empty. */
export function splitHistory(entries: readonly HistoryEntry[]): Block[] {
  const { reach } = pairCalls(entries.map(({ turn }) => turn))
  const blocks: Block[] = []
  let open: HistoryEntry[] = []
  let end = 0
  for (const [i, entry] of entries.entries()) {
    if (!entry.pinned) open.push(entry)
    end = Math.max(end, reach[i] ?? i, continues(entries, i) ? i + 1 : i)
    if (end > i || open.length === 0) continue
    const tokens = open.reduce((sum, { tokens }) => sum + tokens, 0)
    blocks.push({ entries: open, opens: open[0]?.opens === true, tokens })
    open = []
  }
  return blocks
}

/** An assistant's next message or item goes on with this one. */
function continues(entries: readonly HistoryEntry[], i: number): boolean {
  return entries[i]?.turn.role === 'assistant' && entries[i + 1]?.turn.role === 'assistant'
}

export interface Pairs {
  /** For each turn the last one that answers a call of it; itself when none does. */
  readonly reach: readonly number[]
  /** Results without their call before them. */
  readonly orphans: readonly { readonly turn: number; readonly part: Part }[]
}

export function pairCalls(turns: readonly Turn[]): Pairs {
  const reach = turns.map((_, i) => i)
  const orphans: { turn: number; part: Part }[] = []
  const callAt = new Map<string, number>()
  let lastCall: number | undefined
  for (const [i, { parts }] of turns.entries()) {
    for (const part of parts) {
      if (isResult(part)) {
        const id = answeredId(part)
        // A result without an id answers the call before it.
        const call = id === undefined ? lastCall : callAt.get(id)
        if (call === undefined) orphans.push({ turn: i, part })
        else reach[call] = i
      } else if (part.kind === 'call' || part.kind === 'hosted') {
        for (const id of callIds(part)) callAt.set(id, i)
        lastCall = i
      }
    }
  }
  return { reach, orphans }
}

function callIds(part: CallPart | HostedPart): string[] {
  if (part.kind === 'call') return part.id === undefined ? [] : [part.id]
  return texts(part.value, ['call_id', 'id'])
}

function answeredId(part: Part): string | undefined {
  if (part.kind === 'result') return part.callId
  if (part.kind !== 'hosted') return undefined
  return texts(part.value, ['call_id', 'tool_use_id', 'approval_request_id', 'id'])[0]
}

/** Hosted calls come in pairs too: `computer_call` and `computer_call_output`, `web_search_tool_result`. */
function isResult(part: Part): boolean {
  return (
    part.kind === 'result' || (part.kind === 'hosted' && /_(?:output|response|tool_result)$/.test(part.type))
  )
}

function texts(value: JsonObject, keys: readonly string[]): string[] {
  return keys.map(key => own(value, key)).filter(id => typeof id === 'string')
}
