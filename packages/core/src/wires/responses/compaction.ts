/** Items that stand for the conversation before them, and what asks for one. */
import type { Draft, JsonObject } from '../../json/object.ts'
import { isObject, own, ownString } from '../../json/object.ts'
import type { CompactionDemand, CompactionPart } from '../../model/compaction.ts'
import type { OpaquePart } from '../../model/conversation.ts'
import type { WireCompactions } from '../define-wire.ts'
import { defaultThreshold } from '../kit/conversation/compaction-threshold.ts'

/** The item, and the names that Codex has for it. */
const types: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction'])

const trigger = 'compaction_trigger'

/** What an item is beyond its value, if it has to do with compaction. */
export function compactionFacts(item: JsonObject): Pick<OpaquePart, 'demand' | 'compaction'> {
  const type = own(item, 'type')
  if (type === trigger) return { demand: true }
  if (!types.has(type)) return {}
  const sealed = ownString(item, 'encrypted_content')
  const compaction: Draft<CompactionPart> = { field: 'encrypted_content' }
  if (sealed !== undefined) compaction.sealed = sealed
  return { compaction }
}

export function decodeDemand(body: JsonObject): CompactionDemand | undefined {
  const input = own(body, 'input')
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined
  const automatic = decodeAutomatic(own(body, 'context_management'))
  if (!Array.isArray(input) || !isObject(last) || own(last, 'type') !== trigger) return automatic
  const { field } = automatic ?? {}
  return { path: ['input', input.length - 1], isAlone: true, ...(field && { field }) }
}

function decodeAutomatic(list: unknown): CompactionDemand | undefined {
  const key = 'context_management'
  if (!Array.isArray(list)) return undefined
  const at = list.findIndex(entry => isObject(entry) && own(entry, 'type') === 'compaction')
  if (at === -1) return undefined
  const left = list.filter(entry => !isObject(entry) || own(entry, 'type') !== 'compaction')
  return {
    path: [key, at],
    threshold: thresholdOf(own(list[at] as JsonObject, 'compact_threshold')),
    isAlone: false,
    field: { key, left: left.length === 0 ? [] : [[[key], left]] },
  }
}

function thresholdOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : defaultThreshold
}

export const responsesCompactions: WireCompactions = {
  encode: ({ sealed }, newId) => {
    const value = { type: 'compaction', id: newId('cmp_'), encrypted_content: sealed }
    return { kind: 'opaque', wire: 'responses', value, path: [], ...compactionFacts(value) }
  },
  finish: { reason: 'stop' },
}
