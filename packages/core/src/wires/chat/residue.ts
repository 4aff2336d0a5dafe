/**
 * How this codec remembers the shape in which something stood. Residue with this wire's name, even without
 * entries, says that its owner came from Chat, so that the encoder adds no defaults to it. An entry with an
 * empty path is the whole value the owner was read from; a quiet `undefined` is a key that was absent.
 */
import type { Path } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'

export function ownResidue(
  at: Path,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[] = [],
): Residue {
  return quiet.length === 0 ? { wire: 'chat', at, entries } : { wire: 'chat', at, entries, defaults: quiet }
}

/** Gives the part what is left of it. One of which nothing is left needs no mark of its origin. */
export function withResidue<Owner extends { readonly path: Path; residue?: Residue }>(
  part: Owner,
  entries: readonly ResidueEntry[],
  quiet: readonly ResidueEntry[] = [],
): Owner {
  if (entries.length > 0 || quiet.length > 0) part.residue = ownResidue(part.path, entries, quiet)
  return part
}

export function isOwn(residue: Residue | undefined): boolean {
  return residue?.wire === 'chat'
}

/** The whole value this owner was read from, when it was remembered. */
export function wholeValue(residue: Residue | undefined): unknown {
  return isOwn(residue) ? residue?.defaults?.find(([path]) => path.length === 0)?.[1] : undefined
}

/** Takes out the keys that residue has marked as absent. */
export function dropAbsent(written: Record<string, unknown>): void {
  for (const key of Object.keys(written)) if (written[key] === undefined) delete written[key]
}

/** JSON text, or nothing for a value nested too deep to be written. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
