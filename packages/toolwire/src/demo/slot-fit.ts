/** Which thing mentioned belongs in which parameter: by its kind, its preposition, and what the parameter is called. */
import { harmlessText } from './harmless.ts'
import type { MentionGroup } from './mention-group.ts'
import type { Slot } from './slots.ts'
import { meaningOf } from './words.ts'

const meanings = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(meaningOf))

/** Parameters that take prose rather than a name. */
const prose = meanings(
  'query q question text prompt input message content search topic subject description task instruction note body keywords term phrase comment summary request reason',
)

/** Parameters that names of places, people and things go into. */
const naming = meanings(
  'city location place country town region area address name person user username customer company symbol ticker title product item language destination origin restaurant hotel airport team author artist owner repo station stop currency timezone zone',
)

const byKind: { readonly [kind: string]: ReadonlySet<string> } = {
  email: meanings('email mail to recipient address cc from sender'),
  url: meanings('url uri link href page site website address endpoint'),
  path: meanings('file path filename folder directory document source target name'),
  date: meanings('date day when start end since until from to at deadline due time'),
  quote: prose,
}

const formats: { readonly [kind: string]: readonly string[] } = {
  email: ['email', 'idn-email'],
  url: ['uri', 'url', 'iri', 'uri-reference'],
  date: ['date', 'date-time'],
}

const byPreposition: { readonly [preposition: string]: ReadonlySet<string> } = {
  from: meanings('from origin source start departure sender since'),
  to: meanings('to destination target end arrival recipient receiver language currency until'),
  into: meanings('to target language currency into'),
  in: meanings('in city location place country region area town language unit folder directory currency'),
  at: meanings('at location place address restaurant time hotel'),
  near: meanings('location place city address near'),
  for: meanings('for name person user city location place customer'),
  about: meanings('about topic subject'),
  on: meanings('on date day topic subject'),
  named: meanings('name title'),
  called: meanings('name title'),
  saying: prose,
  with: meanings('with name person'),
  by: meanings('by author artist'),
}

export function isProse({ meanings: own }: Slot): boolean {
  return overlaps(own, prose)
}

/** 0 when the slot must not take the group. */
export function slotFit(slot: Slot, group: MentionGroup): number {
  const kind = group.mentions[0]?.kind ?? 'phrase'
  if (kind !== 'quote' && harmlessText(slot.meanings) !== undefined) return 0
  if (slot.format !== undefined && !formats[kind]?.includes(slot.format)) return 0
  let score = slot.format === undefined ? 0 : 4
  if (group.before !== undefined && slot.meanings.has(group.before)) score += 4
  const placed = byPreposition[group.preposition ?? '']
  if (placed !== undefined && overlaps(slot.meanings, placed)) score += 3
  const special = byKind[kind]
  if (special !== undefined) {
    if (overlaps(slot.meanings, special)) score += 3
    else if (kind !== 'quote') return score > 0 ? score : 0
    else score += 0.5
  } else if (isProse(slot)) {
    // Prose gets the whole subject, unless there are several things to ask about one by one.
    if (group.mentions.length < 2) return 0
    score += 1
  } else score += overlaps(slot.meanings, naming) ? 2 : 1
  return slot.isRequired ? score + 1 : score
}

function overlaps(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const item of one) if (other.has(item)) return true
  return false
}
