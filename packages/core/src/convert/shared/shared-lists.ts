/**
 * Maps over lists that return the same list if no item changed. Most adaptations change nothing, so a request that
 * needs none is neither copied nor allocated again.
 */
import type { Part, Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { reportResidue } from '../../wires/kit/report-residue.ts'

/** The mapper may return a list to replace an item by several, or by none. */
export function mapShared<T extends object>(
  list: readonly T[],
  map: (item: T) => T | readonly T[],
): readonly T[] {
  let out: T[] | undefined
  // By index: this runs some twenty times over every history, mostly to change nothing.
  for (let at = 0; at < list.length; at++) {
    const item = list[at] as T
    const mapped = map(item)
    if (out === undefined) {
      if (mapped === item) continue
      out = list.slice(0, at)
    }
    if (isList(mapped)) for (const one of mapped) out.push(one)
    else out.push(mapped)
  }
  return out ?? list
}

export function isList<T extends object>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}

export function withParts(turn: Turn, parts: readonly Part[]): Turn {
  return parts === turn.parts ? turn : { ...turn, parts }
}

export function mapParts(turns: readonly Turn[], map: (part: Part) => Part): readonly Turn[] {
  return mapShared(turns, turn => withParts(turn, mapShared(turn.parts, map)))
}

/** A turn that loses all its parts is dropped and its residue reported; a turn that had no parts stays. */
export function flatMapParts(
  turns: readonly Turn[],
  report: Report,
  map: (part: Part) => Part | readonly Part[],
): readonly Turn[] {
  return mapShared(turns, turn => withPartsOrDropped(turn, mapShared(turn.parts, map), report))
}

export function withPartsOrDropped(
  turn: Turn,
  parts: readonly Part[],
  report: Report,
): Turn | readonly Turn[] {
  if (parts.length > 0 || turn.parts.length === 0) return withParts(turn, parts)
  reportResidue(turn.residue, report)
  return []
}
