/** Takes results without calls out of a conversation: every server refuses them, so they are room for nothing. */

import { isObject, type JsonObject, own } from '../json/object.ts'
import type { Turn } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import { pairCalls } from './history-blocks.ts'

export interface Swept {
  readonly list: readonly unknown[]
  /** For each entry of the list, where it stood before. */
  readonly origin: readonly number[]
  readonly removed: readonly Path[]
}

/** The calls may be with the server, or behind references to what it keeps; then nothing is known to be an orphan. */
function mayBeElsewhere(body: JsonObject, list: readonly unknown[]): boolean {
  const kept = ['previous_response_id', 'conversation'].some(key => (own(body, key) ?? null) !== null)
  return kept || list.some(entry => isObject(entry) && own(entry, 'type') === 'item_reference')
}

export function sweepOrphans(
  body: JsonObject,
  list: readonly unknown[],
  turns: readonly Turn[],
  report: Report,
): Swept {
  const whole = { list, origin: list.map((_, i) => i), removed: [] }
  if (mayBeElsewhere(body, list)) return whole
  const orphans = pairCalls(turns).orphans
  if (orphans.length === 0) return whole
  const removed: Path[] = []
  /** For each entry, the places of the blocks to take out of its content. */
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
