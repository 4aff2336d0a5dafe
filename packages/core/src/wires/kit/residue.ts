/**
 * Residue of one wire: its decoders attach what they do not model, its encoders write that back in place. On any other
 * wire it is reported. An entry with an empty path holds the complete value that the owner was read from; a default of
 * `undefined` records a key that was absent and that the encoder would otherwise write.
 */
import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { restoreMissing, restoreResidue } from '../../model/residue.ts'
import type { FieldReader } from './field-reader.ts'
import { reportResidue } from './report-residue.ts'

type Entries = readonly ResidueEntry[]

/** What an encoder has written and not shared yet. */
type Written = Record<string, unknown>

/** What a decoder has collected for a residue. */
export interface Leftovers {
  readonly entries: ResidueEntry[]
  readonly defaults: ResidueEntry[]
}

const none: Entries = []

export interface ResidueOwner {
  readonly path: Path
  residue?: Residue
}

export class WireResidue {
  readonly wire: string

  constructor(wire: string) {
    this.wire = wire
  }

  /** Even without entries it marks its owner as read from this wire: the encoder then adds nothing that was not there. */
  create(at: Path, entries: Entries, defaults: Entries = none): Residue {
    const { wire } = this
    return defaults.length === 0 ? { wire, at, entries } : { wire, at, entries, defaults }
  }

  /** Returns the same owner, with its residue if anything is left over. */
  attach<Owner extends ResidueOwner>(owner: Owner, entries: Entries, defaults: Entries = none): Owner {
    if (entries.length > 0 || defaults.length > 0) owner.residue = this.create(owner.path, entries, defaults)
    return owner
  }

  owns(residue: Residue | undefined): boolean {
    return residue?.wire === this.wire
  }

  /** Returns the same object, with its residue restored, or reported if it is of another wire. */
  restore(written: Written, residue: Residue | undefined, report: Report): Written {
    return restoreOrReport(written, residue, this.wire, report)
  }

  restoreMissing(written: Written, residue: Residue | undefined, report: Report): Written {
    return restoreMissingOrReport(written, residue, this.wire, report)
  }

  /** Restores or reports the residue, and removes the keys that it records as absent. */
  complete(written: Written, residue: Residue | undefined, report: Report): Written {
    return residue === undefined ? written : compact(this.restore(written, residue, report))
  }

  /** For an owner that is written in a form without a place for its residue, also on its own wire. */
  reportForeign(residue: Residue | undefined, report: Report): void {
    if (residue !== undefined && residue.wire !== this.wire) reportResidue(residue, report)
  }

  /** The value recorded for one key of the owner; wrapped, because it may be `undefined`. */
  recorded(residue: Residue | undefined, key: string): { readonly value: unknown } | undefined {
    if (residue?.wire !== this.wire) return undefined
    const fits = ([path]: ResidueEntry): boolean => path.length === 1 && path[0] === key
    return wrapped(residue.entries.find(fits) ?? residue.defaults?.find(fits))
  }

  /** The complete value that the owner was read from, if it was recorded. */
  original(residue: Residue | undefined): { readonly value: unknown } | undefined {
    if (residue?.wire !== this.wire) return undefined
    return wrapped(residue.defaults?.find(([path]) => path.length === 0))
  }
}

const wrapped = (entry: ResidueEntry | undefined): { readonly value: unknown } | undefined =>
  entry && { value: entry[1] }

/** Consumes a field that holds its default: restored on its own wire, not reported on others. */
export function takeDefault(
  fields: FieldReader,
  key: string,
  value: string | number,
  defaults: ResidueEntry[],
  at: Path = [],
): void {
  if (fields.is(key, value)) defaults.push([[...at, key], value])
}

/** Residue of an item that has become something else: no wire has a place for it any more. */
export function orphans(item: JsonObject, known: readonly string[], at: Path): Residue {
  const entries = Object.entries(item).filter(([key]) => !known.includes(key))
  return { wire: null, at, entries: entries.map(([key, value]) => [[key], value]) }
}

/** Writes residue back on its own wire, and reports it on any other. Returns the same object. */
export function restoreOrReport(
  written: Written,
  residue: Residue | undefined,
  wire: string,
  report: Report,
): Written {
  if (residue?.wire === wire) restoreResidue(written, residue)
  else if (residue !== undefined) reportResidue(residue, report)
  return written
}

/** The same for a tool, whose fields an adaptation may have changed: what the encoder wrote stays. */
export function restoreMissingOrReport(
  written: Written,
  residue: Residue | undefined,
  wire: string,
  report: Report,
): Written {
  if (residue?.wire === wire) restoreMissing(written, residue)
  else if (residue !== undefined) reportResidue(residue, report)
  return written
}

/** Fields that the official client libraries add to answers, and that servers refuse to read again. */
export const clientLibraryFields: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments', 'created_by'])
