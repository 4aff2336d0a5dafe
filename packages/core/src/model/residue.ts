/**
 * Residue is what a codec read but does not model. It records the path of each value, so that the same wire can write
 * it back in place, and any other wire can report it instead of losing it silently.
 */

import { isObject, own, setOwn } from '../json/object.ts'
import type { Path } from './diagnostic.ts'

/** What a codec read but does not model, with its paths. Restored on its own wire, reported on others. */
export interface Residue {
  /** The wire that can write it back; `null` if its owner was converted to something that has no place for it. */
  readonly wire: string | null
  /** The path of the owner of these entries in the caller's input. */
  readonly at: Path
  readonly entries: readonly ResidueEntry[]
  /** Entries that hold a default value: written back to their wire, but not reported as lost on others. */
  readonly defaults?: readonly ResidueEntry[]
  /** Set when the owner was read in another wire's shape: how paths change when it is written in its own. */
  readonly moved?: { readonly from: Path; readonly to: Path }
}

/** A path relative to the residue's `at`, and the value there. */
export type ResidueEntry = readonly [path: Path, value: unknown]

/** Writes the entries back into an object that an encoder made and that is not shared yet. */
export function restoreResidue(target: Record<string, unknown>, residue: Residue | undefined): void {
  restore(target, residue?.entries, residue?.moved)
  restore(target, residue?.defaults, residue?.moved)
}

/**
 * Like `restoreResidue`, for an owner that an adaptation may have changed since it was read: fields that the encoder
 * wrote are newer than the residue and are not overwritten.
 */
export function restoreMissing(target: Record<string, unknown>, residue: Residue | undefined): void {
  // What was absent and is missing stays so.
  const isMissing = (path: Path, value: unknown): boolean => value !== undefined && !hasIn(target, path)
  restore(target, residue?.entries, residue?.moved, isMissing)
  restore(target, residue?.defaults, residue?.moved, isMissing)
}

function restore(
  target: Record<string, unknown>,
  entries: readonly ResidueEntry[] | undefined,
  moved: Residue['moved'],
  filter?: (path: Path, value: unknown) => boolean,
): void {
  if (entries === undefined) return
  for (const [path, value] of entries) {
    const targetPath = movedPath(path, moved)
    if (filter === undefined || filter(targetPath, value)) setIn(target, targetPath, value)
  }
}

function movedPath(path: Path, moved: Residue['moved']): Path {
  if (moved === undefined || !moved.from.every((key, i) => path[i] === key)) return path
  return [...moved.to, ...path.slice(moved.from.length)]
}

/** The residue of an owner that was converted to another kind: no wire can write it back. */
export function orphanResidue(residue: Residue | undefined): { residue?: Residue } {
  return residue === undefined ? {} : { residue: { ...residue, wire: null } }
}

/** The residue with only the entries and defaults that the test accepts. */
export function filterResidue(residue: Residue, isKept: (entry: ResidueEntry) => boolean): Residue {
  const { entries, defaults } = residue
  const kept = { ...residue, entries: entries.filter(isKept) }
  return defaults === undefined ? kept : { ...kept, defaults: defaults.filter(isKept) }
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
    // Encoders build new objects, so an existing one can be modified.
    if (isObject(next)) holder = next as Record<string, unknown>
    else {
      const inner: Record<string, unknown> = {}
      setOwn(holder, key, inner)
      holder = inner
    }
  }
  setOwn(holder, String(path[last]), value)
}
