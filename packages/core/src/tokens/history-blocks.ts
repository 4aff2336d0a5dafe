/**
 * A conversation in blocks that may be left out one by one: a call stays with its results, calls side by side
 * stay together, and all that an assistant says in a row, its reasoning with it, is one piece.
 */

import { isObject, type JsonObject, own } from '../json/object.ts'
import type { CallPart, HostedPart, Part, Turn } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import type { ClientHabits } from '../wires/define-wire.ts'

/** One message or item of the conversation. */
export interface HistoryEntry {
  readonly turn: Turn
  /** Its index in the list. */
  readonly index: number
  readonly tokens: number
  /** System and developer messages, and items that declare something for the whole request. */
  readonly pinned: boolean
  /** A user message with which a conversation can begin. */
  readonly opens: boolean
}

export function readEntry(turn: Turn, index: number, tokens: number): HistoryEntry {
  const { role, parts } = turn
  const declares = parts.some(part => part.kind === 'opaque' && (part.readElsewhere || part.demand) === true)
  const pinned = role === 'system' || role === 'developer' || declares
  return { turn, index, tokens, pinned, opens: role === 'user' && !pinned && !parts.some(isResult) }
}

export interface Block {
  /** Without pinned entries, which are never removed. */
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

interface Pairs {
  /** For each turn the last one that answers a call of it; itself when none does. */
  readonly reach: readonly number[]
  /** Results without their call before them. */
  readonly orphans: readonly { readonly turn: number; readonly part: Part }[]
}

function pairCalls(turns: readonly Turn[]): Pairs {
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

export interface Swept {
  readonly list: readonly unknown[]
  /** For each entry of the list, its index before. */
  readonly origin: readonly number[]
  readonly removed: readonly Path[]
}

/** The server may hold the calls, or they are behind references to stored items; then no result is known to be an orphan. */
function mayBeElsewhere(body: JsonObject, list: readonly unknown[], { memory }: ClientHabits): boolean {
  const fields = memory === undefined ? [] : [memory.previous, memory.conversation]
  const kept = fields.some(key => (own(body, key) ?? null) !== null)
  return kept || list.some(entry => isObject(entry) && own(entry, 'type') === 'item_reference')
}

/** Removes results without calls: every server refuses them, so they take room for nothing. */
export function sweepOrphans(
  body: JsonObject,
  list: readonly unknown[],
  turns: readonly Turn[],
  habits: ClientHabits,
  report: Report,
): Swept {
  const whole = { list, origin: list.map((_, i) => i), removed: [] }
  if (mayBeElsewhere(body, list, habits)) return whole
  const orphans = pairCalls(turns).orphans
  if (orphans.length === 0) return whole
  const removed: Path[] = []
  /** For each entry, the indexes of the content blocks to remove. */
  const blocksOf = new Map<number, Set<unknown>>()
  const gone = new Set<number>()
  for (const { turn: at, part } of orphans) {
    const turn = turns[at]
    const index = turn?.root[1]
    if (turn === undefined || typeof index !== 'number') continue
    report('orphan_result', part.path, 'This result has no call before it and was left out.')
    const blocks = blocksOf.get(index) ?? new Set()
    blocksOf.set(index, blocks.add(part.path[3]))
    const isWhole = part.path.length <= turn.root.length || blocks.size === turn.parts.length
    if (isWhole) gone.add(index)
    removed.push(part.path)
  }
  const entries = list.map((entry, i) => ({ i, entry: withoutBlocks(entry, blocksOf.get(i)) }))
  const left = entries.filter(({ i }) => !gone.has(i))
  return { list: left.map(({ entry }) => entry), origin: left.map(({ i }) => i), removed }
}

function withoutBlocks(entry: unknown, places: ReadonlySet<unknown> | undefined): unknown {
  const content = isObject(entry) ? own(entry, 'content') : undefined
  if (places === undefined || !isObject(entry) || !Array.isArray(content)) return entry
  return { ...entry, content: content.filter((_, i) => !places.has(i)) }
}
