/** What the readers of this wire keep beside the model, and how its writers put it back. */

import type { JsonObject } from '../../json/object.ts'
import { compact, isObject } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { restoreOrReport } from '../kit/tool-refs.ts'

/** How blocks are to be written. */
export interface EncodeContext {
  readonly report: Report
  /** The value came from this wire: it goes back exactly as it was, with nothing added and nothing tidied. */
  readonly own: boolean
  /** Set for answers, whose blocks say more than those of a history. */
  readonly answer?: { newId(prefix: string): string; readonly refused: boolean; readonly cut: boolean }
}

/** Gives the part what is left of it, if anything is. */
export function withResidue<Owner extends { readonly path: Path; residue?: Residue }>(
  part: Owner,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[] = [],
): Owner {
  if (entries.length > 0 || quiet.length > 0) part.residue = residueOf(part.path, entries, quiet)
  return part
}

export function residueOf(
  at: Path,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[],
): Residue {
  return { wire: 'messages', at, entries, defaults: quiet }
}

/** Restores or reports the residue of what was written with nothing absent in it. A key remembered as `undefined` was absent and is taken out again. */
export function close(
  written: Record<string, unknown>,
  residue: Residue | undefined,
  report: Report,
): JsonObject {
  if (residue === undefined) return written
  restoreOrReport(written, residue, 'messages', report)
  return compact(written)
}

/** What was remembered of one key, so that it can go back as it was; wrapped, for it may be `undefined`. */
export function remembered(residue: Residue | undefined, key: string): { value: unknown } | undefined {
  if (residue?.wire !== 'messages') return undefined
  const isIt = ([path]: ResidueEntry): boolean => path.length === 1 && path[0] === key
  const entry = residue.entries.find(isIt) ?? residue.defaults?.find(isIt)
  return entry && { value: entry[1] }
}

/** A part that stands for a block in another form remembers the block itself, under the empty path. */
export function verbatim(residue: Residue | undefined): { value: unknown } | undefined {
  if (residue?.wire !== 'messages') return undefined
  const entry = residue.defaults?.find(([path]) => path.length === 0)
  return entry && { value: entry[1] }
}

/** The value as JSON; `undefined` when it is nested too deep for the engine to write. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The object a text holds, if it holds one. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
