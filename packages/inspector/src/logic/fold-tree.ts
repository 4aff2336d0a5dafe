/**
 * JSON as lines of a tree, made when they are looked at. Only what is unfolded has a node, which knows how many lines it
 * takes, so that any line is found without making those before it.
 */
import { type Path, sizeOf } from './json-tree.ts'

export interface TreeLine {
  readonly path: Path
  readonly depth: number
  /** The key or index, if the value is within another. */
  readonly name: string | number | undefined
  readonly value: unknown
  /** How many members it has; `undefined` for what has none. */
  readonly size: number | undefined
  readonly isOpen: boolean
}

/** What somebody folded or unfolded. Never changed; `fold` makes another. */
export interface Folding {
  readonly isOpen?: boolean
  readonly members?: ReadonlyMap<string | number, Folding>
}

/** What is unfolded. */
interface OpenNode {
  readonly value: object
  readonly depth: number
  /** Of an object; a list has none. */
  readonly keys: readonly string[] | undefined
  readonly size: number
  /** Its unfolded members in their order, each with the number of lines from its node's own to its own. */
  readonly open: readonly { readonly at: number; readonly line: number; readonly node: OpenNode }[]
  /** With its own. */
  readonly lines: number
}

export interface FoldTree {
  readonly count: number
  line(index: number): TreeLine | undefined
  /** The line of a path, or of its nearest parent that is seen. */
  indexOf(path: Path): number
}

/** Members of what is deep or long stay folded until somebody unfolds them. */
const deepest = 3
const longest = 100

export function foldTree(value: unknown, folding: Folding = {}): FoldTree {
  const root = nodeOf(value, folding, 0, true)
  return {
    count: root?.lines ?? 1,
    line: index => (root === undefined ? only(value, index) : lineIn(root, value, index)),
    indexOf: path => (root === undefined ? 0 : indexIn(root, path)),
  }
}

function nodeOf(
  value: unknown,
  { isOpen, members }: Folding,
  depth: number,
  isNear: boolean,
): OpenNode | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Array.isArray(value) ? undefined : Object.keys(value)
  const size = keys?.length ?? (value as unknown[]).length
  if (size === 0 || !(isOpen ?? (isNear && size <= longest))) return undefined
  const areNear = isNear && size <= longest && depth + 1 < deepest
  const open: { at: number; line: number; node: OpenNode }[] = []
  let before = 0
  for (const at of areNear ? Array(size).keys() : placesOf(members, keys, size)) {
    const key = keys?.[at] ?? at
    const member = (value as Record<string | number, unknown>)[key]
    const node = nodeOf(member, members?.get(key) ?? {}, depth + 1, areNear)
    if (node === undefined) continue
    open.push({ at, line: 1 + at + before, node })
    before += node.lines - 1
  }
  return { value, depth, keys, size, open, lines: 1 + size + before }
}

/** Where the members stand of which something is known. */
function placesOf(
  members: Folding['members'],
  keys: readonly string[] | undefined,
  size: number,
): readonly number[] {
  if (members === undefined) return []
  if (keys === undefined)
    return [...members.keys()]
      .filter((key): key is number => typeof key === 'number' && key < size)
      .sort((a, b) => a - b)
  return keys.flatMap((key, at) => (members.has(key) ? [at] : []))
}

function only(value: unknown, index: number): TreeLine | undefined {
  if (index !== 0) return undefined
  return { path: [], depth: 0, name: undefined, value, size: sizeOf(value), isOpen: false }
}

function lineIn(root: OpenNode, value: unknown, index: number): TreeLine | undefined {
  if (index < 0 || index >= root.lines) return undefined
  if (index === 0) return { path: [], depth: 0, name: undefined, value, size: root.size, isOpen: true }
  const path: (string | number)[] = []
  let node = root
  let line = index
  for (;;) {
    const from = line
    const above = node.open[countWhile(node.open, member => member.line <= from) - 1]
    const isWithin = above !== undefined && line < above.line + above.node.lines
    const place = isWithin
      ? above.at
      : above === undefined
        ? line - 1
        : above.at + line - above.line - above.node.lines + 1
    const name = node.keys?.[place] ?? place
    path.push(name)
    if (!isWithin || line === above.line) {
      const member = (node.value as Record<string | number, unknown>)[name]
      return { path, depth: path.length, name, value: member, size: sizeOf(member), isOpen: isWithin }
    }
    line -= above.line
    node = above.node
  }
}

type OpenMember = OpenNode['open'][number]

/** How many members of a sorted list come before the first that does not. */
function countWhile(open: OpenNode['open'], isBefore: (member: OpenMember) => boolean): number {
  let [low, high] = [0, open.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(open[middle] as OpenMember)) low = middle + 1
    else high = middle
  }
  return low
}

function indexIn(root: OpenNode, path: Path): number {
  let node: OpenNode | undefined = root
  let index = 0
  for (const step of path) {
    const at: number = node?.keys === undefined ? Number(step) : node.keys.indexOf(String(step))
    if (node === undefined || !(at >= 0 && at < node.size)) return index
    const before: number = countWhile(node.open, member => member.at < at)
    const above: OpenMember | undefined = node.open[before - 1]
    const here: OpenMember | undefined = node.open[before]
    index += above === undefined ? at + 1 : above.line + above.node.lines + at - above.at - 1
    node = here?.at === at ? here.node : undefined
  }
  return index
}

export function fold(folding: Folding, path: Path, isOpen: boolean): Folding {
  const [first, ...rest] = path
  if (first === undefined) return { ...folding, isOpen }
  const inner = fold(folding.members?.get(first) ?? {}, rest, isOpen)
  return { ...folding, members: new Map(folding.members).set(first, inner) }
}

/** What a path is in. */
export function unfoldTo(folding: Folding, path: Path): Folding {
  let unfolded = folding
  for (let length = 0; length < path.length; length++) unfolded = fold(unfolded, path.slice(0, length), true)
  return unfolded
}

/** Only the members of the whole are seen. */
export function foldAll(value: unknown): Folding {
  const members = new Map<string | number, Folding>()
  if (!Array.isArray(value) || value.length <= longest)
    for (const [key] of containersIn(value)) members.set(key, { isOpen: false })
  return { isOpen: true, members }
}

/** The upper levels first, so that the rest stays folded where there is more than anybody reads. */
export function unfoldAll(value: unknown, most: number): Folding {
  interface Unfolded {
    isOpen: boolean
    members?: Map<string | number, Folding>
  }
  const root: Unfolded = { isOpen: true }
  const queue: [unknown, Unfolded][] = [[value, root]]
  for (let i = 0; i < queue.length && queue.length < most; i++) {
    const [here, folding] = queue[i] ?? [undefined, root]
    for (const [key, member] of containersIn(here)) {
      if (queue.length >= most) break
      const inner: Unfolded = { isOpen: true }
      folding.members ??= new Map()
      folding.members.set(key, inner)
      queue.push([member, inner])
    }
  }
  return root
}

function* containersIn(value: unknown): Generator<[string | number, object]> {
  if (typeof value !== 'object' || value === null) return
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const key of keys) {
    const member = (value as Record<string | number, unknown>)[key]
    if (typeof member === 'object' && member !== null) yield [key, member]
  }
}
