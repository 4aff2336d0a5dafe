/** Small things the files of this codec share when they read and write fields. */

import { jsonString } from '../../json/text.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { AnswerContext } from '../define-wire.ts'
import type { FieldReader } from '../kit/field-reader.ts'

/** What a writer needs: where to report, and for an answer, where new ids come from. */
export interface EncodeContext {
  readonly report: Report
  readonly answer?: AnswerContext
}

/** Takes a field that says what goes without saying, for the quiet part of the residue. */
export function takeDefault(fields: FieldReader, key: string, value: string, quiet: ResidueEntry[]): void {
  if (fields.is(key, value)) quiet.push([[key], value])
}

/**
 * Residue of this wire, kept even when it is empty: it then says that its owner was read here, so that the
 * writer adds nothing the source did not have.
 */
export function residueOf(
  at: Path,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[] = [],
): Residue {
  return quiet.length === 0
    ? { wire: 'responses', at, entries }
    : { wire: 'responses', at, entries, defaults: quiet }
}

export function isOwn(owner: { readonly residue?: Residue }): boolean {
  return owner.residue?.wire === 'responses'
}

/** The value's JSON, or `undefined` when it is nested deeper than the platform can write. */
export function jsonText(value: unknown): string | undefined {
  if (typeof value === 'string') return jsonString(value)
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

export function reportMixedShape(path: Path, what: string, where: string, report: Report): void {
  report('mixed_shape', path, `${what} belongs to another wire; on Responses it is ${where}.`)
}
