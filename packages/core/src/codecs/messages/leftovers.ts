/** What the readers of this wire keep beside the model, and how its writers put it back. */
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'

/** How blocks are to be written. */
export interface WriteContext {
  readonly report: Report
  /** The value came from this wire: it goes back exactly as it was, with nothing added and nothing tidied. */
  readonly own: boolean
  /** Set for answers, whose blocks say more than those of a history. */
  readonly answer?: { newId(prefix: string): string; readonly refused: boolean; readonly cut: boolean }
}

export function leave(
  at: Path,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[] = [],
): { residue?: Residue } {
  if (entries.length === 0 && quiet.length === 0) return {}
  return { residue: { wire: 'messages', at, entries, quiet } }
}

/** Restores or reports the residue. A key remembered as `undefined` was absent and is taken out again. */
export function close(
  written: Record<string, unknown>,
  residue: Residue | undefined,
  report: Report,
): JsonObject {
  finish(written, residue, 'messages', report)
  return compact(written)
}

/** What was remembered of one key, so that it can go back as it was; wrapped, for it may be `undefined`. */
export function remembered(residue: Residue | undefined, key: string): { value: unknown } | undefined {
  if (residue?.wire !== 'messages') return undefined
  const all = [...residue.entries, ...(residue.quiet ?? [])]
  const entry = all.find(([path]) => path.length === 1 && path[0] === key)
  return entry && { value: entry[1] }
}

/** A part that stands for a block in another form remembers the block itself, under the empty path. */
export function verbatim(residue: Residue | undefined): { value: unknown } | undefined {
  if (residue?.wire !== 'messages') return undefined
  const entry = residue.quiet?.find(([path]) => path.length === 0)
  return entry && { value: entry[1] }
}

export function readNumber(fields: FieldReader, source: JsonObject, key: string): number | undefined {
  const value = own(source, key)
  if (typeof value !== 'number') return undefined
  fields.skip(key)
  return value
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
