/**
 * Residue is what a codec read but does not understand. It remembers where each piece stood, so that the
 * same wire gets it back in place, and every other wire can report it by path instead of losing it.
 */
import type { Path, Report } from './diagnostic.ts'
import { isObject, setOwn } from './json.ts'
import type { Wire } from './wire.ts'

export interface Residue {
  /** The wire it goes back to; `null` once its owner has become something else and it has no place any more. */
  readonly wire: Wire | null
  /** Where the owner of these entries stood in the caller's input. */
  readonly at: Path
  readonly entries: readonly ResidueEntry[]
  /** Entries that say no more than the default does: they go back to their wire but are no loss elsewhere. */
  readonly quiet?: readonly ResidueEntry[]
  /** Set when the owner stood in another wire's shape: where its fields go when it is written in its own. */
  readonly moved?: { readonly from: Path; readonly to: Path }
}

/** Path relative to the residue's `at`, and the value found there. */
export type ResidueEntry = readonly [path: Path, value: unknown]

/** Fields that only steer caching or transport: losing one changes cost or pace, never meaning. */
const hints: ReadonlySet<string> = new Set([
  'cache_control',
  'eager_input_streaming',
  'prompt_cache_breakpoint',
])

/** Puts the entries back where they stood. The target was made by an encoder and is not shared yet. */
export function restoreResidue(target: Record<string, unknown>, residue: Residue | undefined): void {
  if (residue === undefined) return
  for (const [path, value] of [...residue.entries, ...(residue.quiet ?? [])]) {
    setIn(target, homePath(path, residue.moved), value)
  }
}

function homePath(path: Path, moved: Residue['moved']): Path {
  if (moved === undefined || !moved.from.every((key, i) => path[i] === key)) return path
  return [...moved.to, ...path.slice(moved.from.length)]
}

/** Residue of an owner that changed its kind: whatever is written in its place, this has no place in it. */
export function homeless(residue: Residue | undefined): { residue?: Residue } {
  return residue === undefined ? {} : { residue: { ...residue, wire: null } }
}

/** Says, entry by entry, what the target wire has no place for. A `null` carries nothing and is not reported. */
export function reportResidue(residue: Residue | undefined, report: Report): void {
  if (residue === undefined) return
  for (const [path, value] of residue.entries) {
    if (value === null || value === undefined) continue
    const field = path.join('.')
    const code = hints.has(String(path.at(-1))) ? 'hint_dropped' : 'field_dropped'
    report(code, [...residue.at, ...path], `The target wire has no place for "${field}"; it was left out.`)
  }
}

function setIn(target: Record<string, unknown>, path: Path, value: unknown): void {
  let holder = target
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(holder, key) ? holder[key] : undefined
    // Encoders build fresh objects, so writing into one that is already there touches nobody else's data.
    const inner: Record<string, unknown> = isObject(next) ? (next as Record<string, unknown>) : {}
    setOwn(holder, String(key), inner)
    holder = inner
  }
  const last = path.at(-1)
  // What the encoder wrote itself is newer than what was read: an adaptation may have changed it since.
  if (last !== undefined && !Object.hasOwn(holder, last)) setOwn(holder, String(last), value)
}
