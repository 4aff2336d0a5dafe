/** Compactions in envelopes: a summary that was made here, or an item of an upstream that only it can read. */
import { isObject } from '../../json/object.ts'
import type { Compaction } from '../../model/compaction.ts'
import type { OpaquePart, Part } from '../../model/conversation.ts'
import type { Origin } from '../../model/origin.ts'
import type { Envelope, Seal } from '../shared/envelope.ts'
import { isEnvelope, sealEnvelope } from '../shared/envelope.ts'

const kind = 'compaction'

/** `undefined` if it cannot be written. */
export function sealCompaction(
  { summary, tail }: Compaction,
  origin: Origin,
  seal: Seal,
): string | undefined {
  return sealEnvelope({ kind, origin, value: { summary, tail } }, seal)
}

/** Of several upstreams on one wire, each gets back only its own. */
export function sealItem(part: OpaquePart, origin: Origin, seal: Seal): Part {
  const { compaction, value } = part
  if (compaction?.sealed === undefined || isEnvelope(compaction.sealed) || !isObject(value)) return part
  const sealed = sealEnvelope({ kind, origin, value: { item: value } }, seal)
  if (sealed === undefined) return part
  return { ...part, value: { ...value, [compaction.field]: sealed }, compaction: { ...compaction, sealed } }
}

export function compactionIn({ kind: found, value }: Envelope): Compaction | undefined {
  if (found !== kind || !isObject(value)) return undefined
  const { summary, tail } = value
  return typeof summary === 'string' && typeof tail === 'number' ? { summary, tail } : undefined
}

/** The upstream's own item. */
export function itemIn({ kind: found, value }: Envelope): unknown {
  return found === kind && isObject(value) ? value.item : undefined
}
