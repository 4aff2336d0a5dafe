/**
 * Reasoning in an envelope: complete, as its upstream sent it, so that it goes back unchanged whatever the client did to
 * what it could read.
 */

import { compact, isObject } from '../../json/object.ts'
import type { AnswerPlace, Part, ReasoningPart, Turn } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { longTextLength } from '../../model/stream-event.ts'
import { sealItem } from '../compaction/sealed-compaction.ts'
import type { Envelope, Seal } from './envelope.ts'
import { isEnvelope, sealEnvelope } from './envelope.ts'
import { mapParts } from './shared-lists.ts'

const kind = 'reasoning'

/** For the reasoning of the answers of one exchange. */
export interface ReasoningSealer {
  readonly seal: Seal
  /** The upstream. */
  readonly origin: Origin
  /** The wire that the envelope travels on. */
  readonly clientWire: string
  /** The request allows that something of its answer is stored. */
  readonly mayKeep: boolean
  readonly report: Report
}

export function sealTurns(turns: readonly Turn[], sealer: ReasoningSealer): readonly Turn[] {
  const answer = new AnswerSealer(sealer)
  return mapParts(turns, part => answer.seal(part))
}

/** Seals the parts of one answer, in their order. */
export class AnswerSealer {
  readonly #sealer: ReasoningSealer
  #place = start

  constructor(sealer: ReasoningSealer) {
    this.#sealer = sealer
  }

  seal(part: Part): Part {
    const place = this.#place
    if (part.kind === 'text') this.#place = { ...place, text: place.text + part.text.length }
    if (part.kind === 'call') this.#place = { ...place, calls: place.calls + 1 }
    return sealPart(part, place, this.#sealer)
  }

  reset(): void {
    this.#place = start
  }
}

const start: AnswerPlace = { text: 0, calls: 0 }

/** Reasoning that its upstream would miss gets an envelope in place of its own seal. */
function sealPart(
  part: Part,
  place: AnswerPlace,
  { seal, origin, clientWire, report }: ReasoningSealer,
): Part {
  if (part.kind === 'opaque' && part.wire === clientWire) return sealItem(part, origin, seal)
  if (part.kind !== 'reasoning' || !isMissed(part)) return part
  const isLong = lengthOf(part) >= longTextLength
  const value = isLong ? undefined : sealEnvelope({ kind, origin, value: sealedValue(part, place) }, seal)
  if (value === undefined) {
    report('reasoning_too_long', part.path, 'The reasoning is too long to be sent back by the client.')
    return part
  }
  const hasWords = [...part.text, ...part.summary].some(text => text !== '')
  return { ...part, seal: { wire: clientWire, value, ...(!hasWords && { redacted: true }) } }
}

/** A summary alone means nothing to the upstream. */
function isMissed({ seal, text }: ReasoningPart): boolean {
  return seal !== undefined || text.some(section => section !== '')
}

function lengthOf({ seal, text, summary }: ReasoningPart): number {
  let length = seal?.value.length ?? 0
  for (const section of [...text, ...summary]) length += section.length
  return length
}

/** The value of the envelope. An entry of the residue that records an absent key has no second member. */
interface SealedReasoning {
  readonly text: readonly string[]
  readonly summary: readonly string[]
  readonly seal?: { readonly value: string; readonly redacted?: boolean }
  /** The field that it stood in, where the wire has several for it. */
  readonly field?: string
  /** It was a part of the content instead. */
  readonly inContent?: boolean
  /** In an answer whose parts have an order, unless it stood first. */
  readonly place?: AnswerPlace
  readonly entries?: readonly SealedEntry[]
  readonly defaults?: readonly SealedEntry[]
}

type SealedEntry = readonly [path: Path, value?: unknown]

function sealedValue(
  { text, summary, seal, path, inContent, residue }: ReasoningPart,
  place: AnswerPlace,
): SealedReasoning {
  const last = path.at(-1)
  const isFirst = typeof last === 'string' || (place.text === 0 && place.calls === 0)
  return compact({
    text,
    summary,
    seal: seal && compact({ value: seal.value, redacted: seal.redacted }),
    field: typeof last === 'string' ? last : undefined,
    inContent,
    place: isFirst ? undefined : place,
    entries: residue && sealedEntries(residue.entries),
    defaults: residue?.defaults && sealedEntries(residue.defaults),
  })
}

/** Without ids: those of the calls beside it do not come back, and one without the other is refused. */
function sealedEntries(entries: readonly ResidueEntry[]): SealedEntry[] {
  return entries
    .filter(([path]) => path.length !== 1 || path[0] !== 'id')
    .map(([path, value]) => (value === undefined ? [path] : [path, value]))
}

/** The reasoning in an envelope of the target, in the place of what the client sent back; `undefined` if it is none. */
export function unsealPart(sent: ReasoningPart, { kind: found, origin, value }: Envelope): Part | undefined {
  if (found !== kind || !isSealedReasoning(value)) return undefined
  const { text, summary, seal, field, inContent, place, entries = [], defaults } = value
  // What the client's own wire adds to it, such as the id of the item, belongs to the items beside it.
  const isOwnWire = sent.seal?.wire === origin.wire
  const residue: Residue = compact({
    wire: origin.wire,
    at: sent.path,
    entries: entries.map(restored),
    defaults: defaults?.map(restored),
  })
  return {
    kind: 'reasoning',
    text,
    summary,
    path: field === undefined ? sent.path : into(sent.path, field),
    ...(seal !== undefined && { seal: { wire: origin.wire, ...seal } }),
    ...(inContent === true && { inContent }),
    ...(place !== undefined && { place }),
    residue: (isOwnWire ? sent.residue : undefined) ?? residue,
  }
}

function restored([path, value]: SealedEntry): ResidueEntry {
  return [path, value]
}

/** An envelope is authentic, but a later version may have written another value. */
function isSealedReasoning(value: unknown): value is SealedReasoning {
  if (!isObject(value)) return false
  const { text, summary, seal, place, entries = [], defaults = [] } = value
  return (
    [text, summary].every(list => Array.isArray(list) && list.every(line => typeof line === 'string')) &&
    (seal === undefined || (isObject(seal) && typeof seal.value === 'string')) &&
    (place === undefined || isPlace(place)) &&
    [entries, defaults].every(list => Array.isArray(list) && list.every(isEntry))
  )
}

function isPlace(place: unknown): boolean {
  return isObject(place) && typeof place.text === 'number' && typeof place.calls === 'number'
}

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && Array.isArray(entry[0])
}

/** The envelope in which the client sent the reasoning back. */
export function envelopeOf({ seal }: ReasoningPart): string | undefined {
  return seal !== undefined && isEnvelope(seal.value) ? seal.value : undefined
}
