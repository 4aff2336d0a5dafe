/** Arguments for a call: a sample that satisfies the schema, with what the message says put in where it is valid. */
import { createValidator } from '@toolwire/core/schema'
import { trySample } from '@toolwire/core/testing'
import { formulaIn, takesFormula } from './formula.ts'
import { harmlessText } from './harmless.ts'
import { isObject, own, setOwn } from './json.ts'
import type { MentionGroup } from './mention-group.ts'
import type { Message } from './message.ts'
import { isProse } from './slot-fit.ts'
import type { SlotValues } from './slot-values.ts'
import { valuesFrom } from './slot-values.ts'
import type { Slot } from './slots.ts'
import { slotsOf } from './slots.ts'

export interface Filling {
  readonly message: Message
  /** The things mentioned that are meant for this schema. */
  readonly groups: readonly MentionGroup[]
  readonly seed: number
  /** At most so many values, one for each thing mentioned. */
  readonly most: number
  /** What goes into a text that the message says nothing about. */
  readonly text?: string
  /** The words of the tool's name. */
  readonly toolMeanings?: readonly string[]
}

/** One value that satisfies the schema for each thing asked about; `undefined` when none was found. */
export function fillSchema(schema: unknown, filling: Filling): unknown[] | undefined {
  const sampled = trySample(schema, { seed: filling.seed, minimal: true })
  if (!sampled.ok) return undefined
  if (!isObject(sampled.value)) return [sampled.value]
  const { value: sample } = sampled
  const slots = slotsOf(schema)
  const values = valuesFrom(slots, filling.message, filling.groups)
  const { validate } = createValidator(schema)
  const count = Math.min(filling.most, Math.max(1, ...[...values.values()].map(list => list.length)))
  return Array.from({ length: count }, (_, i) => {
    const draft = structuredClone(sample) as Record<string, unknown>
    const isValid = (): boolean => validate(draft).ok
    for (const slot of slots) {
      const said = saidFor(values, slot, i)
      if (said === undefined || !put(draft, slot, said, isValid)) fallBack(draft, slot, filling, isValid)
    }
    return draft
  })
}

/** Lists of the same length go side by side; a shorter one stays at its last. */
function saidFor(values: SlotValues, slot: Slot, i: number): unknown {
  const list = values.get(slot)
  return list?.[Math.min(i, list.length - 1)]
}

/** Puts the value in if the whole stays valid; otherwise all is as before. */
function put(
  draft: Record<string, unknown>,
  { path }: Slot,
  value: unknown,
  isValid: () => boolean,
): boolean {
  const key = path.at(-1) ?? ''
  let holder: Record<string, unknown> = draft
  for (const step of path.slice(0, -1)) {
    const inner = own(holder, step)
    if (!isObject(inner)) return false
    holder = inner as Record<string, unknown>
  }
  const had = Object.hasOwn(holder, key)
  const before = own(holder, key)
  setOwn(holder, key, value)
  if (isValid()) return true
  if (had) setOwn(holder, key, before)
  else delete holder[key]
  return false
}

function fallBack(
  draft: Record<string, unknown>,
  slot: Slot,
  filling: Filling,
  isValid: () => boolean,
): void {
  if (!slot.isRequired || slot.hasDefault) return
  if (slot.isNullable && !isProse(slot) && put(draft, slot, null, isValid)) return
  const isText = slot.kind === 'text' || slot.kind === 'texts'
  if (!isText || slot.format !== undefined) return
  for (const text of textsFor(slot, filling))
    if (put(draft, slot, slot.kind === 'texts' ? [text] : text, isValid)) return
}

function textsFor(slot: Slot, { message, text, toolMeanings = [] }: Filling): string[] {
  const { meanings, kind, path, example } = slot
  const { quotes, subject, topic } = message
  const run = harmlessText(meanings) ?? (isProse(slot) ? harmlessText(toolMeanings) : undefined)
  if (run !== undefined) return [...quotes, run]
  const formula = takesFormula(slot) ? formulaIn(message.text) : undefined
  const texts = isProse(slot) ? [...quotes, text, subject] : [formula, ...quotes, example, text, subject]
  return [...texts, topic, message.text.trim(), path.at(-1), kind].filter(
    (one): one is string => one !== undefined && one !== '',
  )
}
