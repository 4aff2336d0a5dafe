/**
 * JSON as lines of a tree. Only what is open has lines, and the lines of a list are made in one pass, so that a body of
 * many megabytes costs what is seen of it.
 */

export type Path = readonly (string | number)[]

export interface TreeLine {
  readonly path: Path
  /** The path as one text, to compare. */
  readonly id: string
  readonly depth: number
  /** The key or index, if the value is within another. */
  readonly name: string | number | undefined
  readonly value: unknown
  /** How many members it has; `undefined` for what has none. */
  readonly size: number | undefined
  readonly isOpen: boolean
}

export const idOf = (path: Path): string => JSON.stringify(path)

export function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined
}

/** `isOpen` is asked of everything that has members. */
export function treeLines(
  value: unknown,
  isOpen: (id: string, depth: number, size: number) => boolean,
): TreeLine[] {
  const lines: TreeLine[] = []
  const visit = (here: unknown, path: Path, name: string | number | undefined): void => {
    const id = idOf(path)
    const size = sizeOf(here)
    const open = size !== undefined && size > 0 && isOpen(id, path.length, size)
    lines.push({ path, id, depth: path.length, name, value: here, size, isOpen: open })
    if (!open) return
    if (Array.isArray(here)) for (const [i, member] of here.entries()) visit(member, [...path, i], i)
    else for (const [key, member] of Object.entries(here as object)) visit(member, [...path, key], key)
  }
  visit(value, [], undefined)
  return lines
}

/** What is open before anybody touched it: the upper levels, and what is small. */
export function usuallyOpen(depth: number, size: number): boolean {
  return depth < 3 && size <= 100
}

/** All paths whose key or value has the text in it, as far as `most`. */
export function searchTree(value: unknown, text: string, most: number): Path[] {
  const wanted = text.toLowerCase()
  const found: Path[] = []
  if (wanted === '') return found
  const visit = (here: unknown, path: Path): void => {
    if (found.length >= most) return
    const name = path.at(-1)
    const isNamed = typeof name === 'string' && name.toLowerCase().includes(wanted)
    if (sizeOf(here) === undefined) {
      if (isNamed || String(here).toLowerCase().includes(wanted)) found.push(path)
      return
    }
    if (isNamed) found.push(path)
    if (Array.isArray(here)) for (const [i, member] of here.entries()) visit(member, [...path, i])
    else for (const [key, member] of Object.entries(here as object)) visit(member, [...path, key])
  }
  visit(value, [])
  return found
}

/** The value at a path; `undefined` where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

const peekLength = 160

/** A value on one line. Of long texts and large objects no more is looked at than is shown. */
export function peek(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.slice(0, peekLength)) + (value.length > peekLength ? '…' : '')
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value)
    const hint = describing
      .map(key => (value as Record<string, unknown>)[key])
      .find(text => typeof text === 'string')
    const shown = hint === undefined ? keys.slice(0, 4).join(', ') : String(hint).slice(0, 60)
    return keys.length === 0 ? '{}' : `{ ${shown}${hint === undefined && keys.length > 4 ? ', …' : ''} }`
  }
  return String(value)
}

/** Members that say best what an object is. */
const describing = ['name', 'role', 'type']
