/**
 * Residue is what a codec read but does not understand. It remembers where each piece stood, so that the
 * same wire gets it back in place, and every other wire can report it by path instead of losing it.
 */

import { isObject, own, setOwn } from '../json/json.ts'
import type { Path, Report } from './diagnostic.ts'

export interface Residue {
  /** The wire it goes back to; `null` once its owner has become something else and it has no place any more. */
  readonly wire: string | null
  /** Where the owner of these entries stood in the caller's input. */
  readonly at: Path
  readonly entries: readonly ResidueEntry[]
  /** Entries that say no more than the default does: they go back to their wire but are no loss elsewhere. */
  readonly defaults?: readonly ResidueEntry[]
  /** Set when the owner stood in another wire's shape: where its fields go when it is written in its own. */
  readonly moved?: { readonly from: Path; readonly to: Path }
}

/** Path relative to the residue's `at`, and the value found there. */
export type ResidueEntry = readonly [path: Path, value: unknown]

/** Fields that steer caching or pace, or name a thing within its own wire: losing one never changes the meaning. */
const hints: ReadonlySet<string> = new Set([
  'cache_control',
  'eager_input_streaming',
  'prompt_cache_breakpoint',
  'id',
  'status',
  'system_fingerprint',
])

/** Fields that stand for a conversation kept elsewhere: without them the model knows nothing of what went before. */
const contexts: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'thread'])

/** Puts the entries back where they stood. The target was made by an encoder and is not shared yet. */
export function restoreResidue(target: Record<string, unknown>, residue: Residue | undefined): void {
  restore(target, residue?.entries, residue?.moved)
  restore(target, residue?.defaults, residue?.moved)
}

/**
 * The same for an owner that adaptations may have changed since it was read: what the encoder wrote of it is
 * newer than the residue and stays.
 */
export function restoreMissing(target: Record<string, unknown>, residue: Residue | undefined): void {
  const isMissing = (path: Path): boolean => !hasIn(target, path)
  restore(target, residue?.entries, residue?.moved, isMissing)
  restore(target, residue?.defaults, residue?.moved, isMissing)
}

function restore(
  target: Record<string, unknown>,
  entries: readonly ResidueEntry[] | undefined,
  moved: Residue['moved'],
  isWanted?: (path: Path) => boolean,
): void {
  if (entries === undefined) return
  for (const [path, value] of entries) {
    const home = homePath(path, moved)
    if (isWanted === undefined || isWanted(home)) setIn(target, home, value)
  }
}

function codeFor(path: Path): 'context_dropped' | 'hint_dropped' | 'field_dropped' {
  const key = String(path.at(-1))
  if (path.length === 1 && contexts.has(key)) return 'context_dropped'
  return hints.has(key) ? 'hint_dropped' : 'field_dropped'
}

function homePath(path: Path, moved: Residue['moved']): Path {
  if (moved === undefined || !moved.from.every((key, i) => path[i] === key)) return path
  return [...moved.to, ...path.slice(moved.from.length)]
}

/** Residue of an owner that changed its kind: whatever is written in its place, this has no place in it. */
export function orphanResidue(residue: Residue | undefined): { residue?: Residue } {
  return residue === undefined ? {} : { residue: { ...residue, wire: null } }
}

/** Says, entry by entry, what the target wire has no place for. A `null` carries nothing and is not reported. */
export function reportResidue(residue: Residue | undefined, report: Report): void {
  if (residue === undefined) return
  for (const [path, value] of residue.entries) {
    if (value === null || value === undefined) continue
    report(
      codeFor(path),
      [...residue.at, ...path],
      `The target wire has no place for "${path.join('.')}"; it was left out.`,
    )
  }
}

function hasIn(target: unknown, path: Path): boolean {
  return path.every(key => {
    if (!isObject(target) || !Object.hasOwn(target, key)) return false
    target = target[key]
    return true
  })
}

function setIn(target: Record<string, unknown>, path: Path, value: unknown): void {
  const last = path.length - 1
  if (last < 0) return
  let holder = target
  for (let depth = 0; depth < last; depth++) {
    const key = String(path[depth])
    const next = own(holder, key)
    // Encoders build fresh objects, so writing into one that is already there touches nobody else's data.
    if (isObject(next)) holder = next as Record<string, unknown>
    else {
      const inner: Record<string, unknown> = {}
      setOwn(holder, key, inner)
      holder = inner
    }
  }
  setOwn(holder, String(path[last]), value)
}
