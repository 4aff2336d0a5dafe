/** Blocks that stand for the conversation before them, and what asks for one. */
import type { Draft, JsonObject } from '../../json/object.ts'
import { isObject, own, ownString } from '../../json/object.ts'
import type { CompactionDemand, CompactionPart } from '../../model/compaction.ts'
import type { WireCompactions } from '../define-wire.ts'
import { defaultThreshold } from '../kit/conversation/compaction-threshold.ts'

/** One made on demand is signed; of an automatic one a part is encrypted. */
const sealFields = ['signature', 'encrypted_content'] as const

export function compactionOf(block: JsonObject): CompactionPart | undefined {
  if (own(block, 'type') !== 'compaction') return undefined
  const field = sealFields.find(name => ownString(block, name) !== undefined) ?? 'encrypted_content'
  const sealed = ownString(block, field)
  const summary = ownString(block, 'content')
  const compaction: Draft<CompactionPart> = { field }
  if (sealed !== undefined) compaction.sealed = sealed
  if (summary !== undefined) compaction.summary = summary
  return compaction
}

export function decodeDemand(body: JsonObject): CompactionDemand | undefined {
  const key = 'compaction'
  const config = own(body, key)
  if (!isObject(config) || own(config, 'type') !== 'summarize') {
    return decodeEdits(own(body, 'context_management'))
  }
  return { path: [key], isAlone: true, ...instructionsOf(config), field: { key, left: [] } }
}

function decodeEdits(management: unknown): CompactionDemand | undefined {
  const key = 'context_management'
  const edits: unknown = isObject(management) ? own(management, 'edits') : undefined
  if (!isObject(management) || !Array.isArray(edits)) return undefined
  const at = edits.findIndex(isCompactEdit)
  const edit: unknown = edits[at]
  if (!isObject(edit)) return undefined
  const others = edits.filter(each => !isCompactEdit(each))
  return {
    path: [key, 'edits', at],
    threshold: thresholdOf(own(edit, 'trigger')),
    isAlone: own(edit, 'pause_after_compaction') === true,
    ...instructionsOf(edit),
    field: { key, left: others.length === 0 ? [] : [[[key], { ...management, edits: others }]] },
  }
}

function isCompactEdit(edit: unknown): boolean {
  return isObject(edit) && own(edit, 'type') === 'compact_20260112'
}

function thresholdOf(trigger: unknown): number {
  const value =
    isObject(trigger) && own(trigger, 'type') === 'input_tokens' ? own(trigger, 'value') : undefined
  return typeof value === 'number' && value > 0 ? value : defaultThreshold
}

/** Blank ones count as absent. */
function instructionsOf(config: JsonObject): { readonly instructions?: string } {
  const instructions = ownString(config, 'instructions')
  return instructions === undefined || instructions.trim() === '' ? {} : { instructions }
}

export const messagesCompactions: WireCompactions = {
  encode: ({ summary, sealed, isOnDemand }) => {
    const value = {
      type: 'compaction',
      content: summary,
      encrypted_content: isOnDemand ? null : sealed,
      ...(isOnDemand && { signature: sealed }),
    }
    const compaction = compactionOf(value)
    return { kind: 'opaque', wire: 'messages', value, path: [], ...(compaction && { compaction }) }
  },
  finish: { reason: 'pause', raw: 'compaction' },
}
