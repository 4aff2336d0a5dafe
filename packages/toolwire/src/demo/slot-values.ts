/** What of a message goes into which parameter. More than one value for a parameter means one call for each. */
import type { MentionGroup } from './mention-group.ts'
import type { Message, NumberMention } from './message.ts'
import { slotFit } from './slot-fit.ts'
import type { Slot } from './slots.ts'
import { isCounting, isStopWord, meaningOf, wordsIn } from './words.ts'

export type SlotValues = Map<Slot, readonly unknown[]>

export function valuesFrom(
  slots: readonly Slot[],
  message: Message,
  groups: readonly MentionGroup[],
): SlotValues {
  const values: SlotValues = new Map()
  for (const slot of slots) {
    if (slot.kind === 'enum') note(values, slot, mentionedValues(slot, message))
    if (slot.kind === 'boolean') note(values, slot, saidOf(slot, message))
  }
  const isTaken = ({ mentions }: MentionGroup): boolean =>
    [...values.values()].some(list => mentions.every(({ text }) => list.some(value => sameText(value, text))))
  assignGroups(
    slots.filter(({ kind }) => kind === 'text' || kind === 'texts'),
    groups.filter(group => !isTaken(group)),
    message,
    values,
  )
  assignNumbers(slots, message, values)
  return values
}

function note(values: SlotValues, slot: Slot, found: readonly unknown[]): void {
  if (found.length > 0) values.set(slot, found)
}

function sameText(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === text.toLowerCase()
}

/** The values of an enum that the message names, in the order of the message. */
function mentionedValues({ values }: Slot, { meanings, numbers, quotes }: Message): unknown[] {
  const places = values.map((value): { value: unknown; at: number } => {
    if (typeof value === 'number') return { value, at: numbers.find(one => one.value === value)?.at ?? -1 }
    if (typeof value !== 'string') return { value, at: -1 }
    if (quotes.includes(value)) return { value, at: 0 }
    const words = wordsIn(value, 6)
    const at = words.map(word => (isStopWord(word) ? -1 : (meanings.get(meaningOf(word)) ?? -1)))
    return { value, at: at.length === 0 || at.includes(-1) ? -1 : Math.min(...at) }
  })
  return places
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

function saidOf({ meanings }: Slot, message: Message): boolean[] {
  const words = [...meanings].filter(word => !isStopWord(word))
  if (words.length === 0 || !words.every(word => message.meanings.has(word))) return []
  return [!words.some(word => message.denied.has(word))]
}

/** An optional parameter is left out unless something clearly belongs there. */
const enough = { required: 1, optional: 3 } as const

function assignGroups(
  slots: readonly Slot[],
  groups: readonly MentionGroup[],
  message: Message,
  values: SlotValues,
): void {
  const pairs = slots
    .flatMap(slot => groups.map(group => ({ slot, group, fit: slotFit(slot, group) })))
    .filter(({ slot, fit }) => fit >= (slot.isRequired ? enough.required : enough.optional))
    .sort((one, other) => other.fit - one.fit)
  const left = new Set(groups)
  for (const { slot, group } of pairs) {
    if (!left.has(group) || values.has(slot)) continue
    left.delete(group)
    values.set(slot, textsFor(slot, withJoined(group, left, message)))
  }
}

function textsFor({ kind }: Slot, group: MentionGroup): readonly unknown[] {
  const texts = [...new Set(group.mentions.map(({ text }) => text))]
  return kind === 'texts' ? [texts] : texts
}

/** "Compare Oslo with Rome": things that are set side by side, whatever stands between them. */
function withJoined(group: MentionGroup, left: Set<MentionGroup>, { text }: Message): MentionGroup {
  if (!/(?<!\p{L})(?:compare|both|versus|vs|each|respectively)(?!\p{L})/iu.test(text)) return group
  const kind = group.mentions[0]?.kind
  const more = [...left].filter(other => other.mentions[0]?.kind === kind)
  for (const other of more) left.delete(other)
  return { ...group, mentions: [group, ...more].flatMap(({ mentions }) => mentions) }
}

function assignNumbers(slots: readonly Slot[], { numbers }: Message, values: SlotValues): void {
  const left = new Set(numbers)
  const wanting = slots.filter(slot => slot.kind === 'number')
  for (const slot of wanting) {
    const found = [...left].find(number => isBeside(number, slot))
    if (found === undefined) continue
    left.delete(found)
    values.set(slot, [found.value])
  }
  const all = slots.find(({ kind, isRequired }) => kind === 'numbers' && isRequired)
  if (all !== undefined && left.size > 0) return void values.set(all, [[...left].map(({ value }) => value)])
  const needy = wanting.filter(slot => slot.isRequired && !values.has(slot))
  const [only] = needy
  if (only !== undefined && needy.length === 1 && values.size === 0 && left.size > 0)
    return void values.set(
      only,
      [...left].map(({ value }) => value),
    )
  for (const slot of needy) {
    const [next] = left
    if (next === undefined) return
    left.delete(next)
    values.set(slot, [next.value])
  }
}

function isBeside({ beside }: NumberMention, { meanings }: Slot): boolean {
  if (beside.some(word => meanings.has(word))) return true
  return beside.some(isCounting) && [...meanings].some(isCounting)
}
