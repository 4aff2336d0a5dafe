/** JSON as lines with paths, and diagnostics pinned to the line of their path. */
import { idOf, type Path, sizeOf } from './json-tree.ts'

export interface JsonLine {
  readonly depth: number
  readonly path: Path
  readonly name: string | undefined
  /** The value on this line, or the bracket that opens or closes it. */
  readonly text: string
  /** `small`: a list or an object on one line. `gap`: so many lines are left out here. */
  readonly kind: 'string' | 'other' | 'small' | 'bracket' | 'gap'
}

const longestText = 400

/**
 * What is within `root` of a body; small lists and objects stand on one line. Beyond the limit, only what is `pinned` has
 * lines, with those around it.
 */
export function jsonLines(
  value: unknown,
  root: Path,
  most: number,
  pinned: readonly Path[] = [],
): { readonly lines: JsonLine[]; readonly left: number } {
  const around = new Set(pinned.flatMap(path => path.map((_, i) => idOf(path.slice(0, i + 1)))))
  const lines: JsonLine[] = []
  let count = 0
  let left = 0
  let gap = 0
  const add = (line: JsonLine): void => {
    count++
    if (count > most && !(around.size > 0 && around.has(idOf(line.path)))) {
      left++
      gap++
      return
    }
    if (gap > 0) lines.push({ depth: line.depth, path: [], name: undefined, text: `… ${gap}`, kind: 'gap' })
    gap = 0
    lines.push(line)
  }
  const visit = (here: unknown, path: Path, name: string | undefined, depth: number): void => {
    const flat = flatten(here, 72)
    if (flat !== undefined) {
      add({ depth, path, name, text: flat, kind: kindOf(here) })
      return
    }
    const isList = Array.isArray(here)
    add({ depth, path, name, text: isList ? '[' : '{', kind: 'bracket' })
    if (isList) for (const [i, member] of here.entries()) visit(member, [...path, i], undefined, depth + 1)
    else
      for (const [key, member] of Object.entries(here as object))
        visit(member, [...path, key], key, depth + 1)
    add({ depth, path, name: undefined, text: isList ? ']' : '}', kind: 'bracket' })
  }
  visit(value, root, undefined, 0)
  return { lines, left }
}

function kindOf(value: unknown): JsonLine['kind'] {
  return typeof value === 'string' ? 'string' : sizeOf(value) === undefined ? 'other' : 'small'
}

/** On one line, if it is short; texts always are, cut if need be. */
function flatten(value: unknown, room: number): string | undefined {
  const size = sizeOf(value)
  if (size === undefined) {
    if (typeof value !== 'string') return String(value)
    return value.length > longestText
      ? `${JSON.stringify(value.slice(0, longestText))}… ${value.length} characters`
      : JSON.stringify(value)
  }
  if (size === 0) return Array.isArray(value) ? '[]' : '{}'
  if (size > 6) return undefined
  const parts: string[] = []
  let length = 0
  for (const [key, member] of Object.entries(value as object)) {
    if (typeof member === 'string' && member.length > room) return undefined
    const text = flatten(member, room)
    if (text === undefined || text.startsWith('{ ') || text.startsWith('[ ')) return undefined
    const part = Array.isArray(value) ? text : `${key}: ${text}`
    length += part.length + 2
    if (length > room) return undefined
    parts.push(part)
  }
  return Array.isArray(value) ? `[ ${parts.join(', ')} ]` : `{ ${parts.join(', ')} }`
}

interface Pinned {
  readonly path: Path
}

/** For each line the diagnostics of its path; those of a path without a line are at the nearest line around it. */
export function pinsOf<D extends Pinned>(
  diagnostics: readonly D[],
  lines: readonly JsonLine[],
): ReadonlyMap<number, readonly D[]> {
  const byPath = new Map<string, number>()
  lines.forEach(({ path, kind }, i) => {
    const id = idOf(path)
    if (kind !== 'gap' && !byPath.has(id)) byPath.set(id, i)
  })
  const pins = new Map<number, D[]>()
  for (const diagnostic of diagnostics) {
    let { length } = diagnostic.path
    while (length > 0 && !byPath.has(idOf(diagnostic.path.slice(0, length)))) length--
    const at = byPath.get(idOf(diagnostic.path.slice(0, length))) ?? 0
    pins.set(at, [...(pins.get(at) ?? []), diagnostic])
  }
  return pins
}

/** Whether one path is the other, or within it. */
export function isWithin(path: Path, root: Path): boolean {
  return root.length <= path.length && root.every((step, i) => path[i] === step)
}

/** How many steps of a path exist in a value. */
export function depthIn(value: unknown, path: Path): number {
  let here = value
  for (const [i, step] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return i
    here = (here as Record<string | number, unknown>)[step]
  }
  return path.length
}
