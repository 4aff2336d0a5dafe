/** Where two bodies differ, place by place. */
import type { Path } from './json-tree.ts'

export interface Difference {
  readonly path: Path
  /** `undefined` where that side has nothing. */
  readonly left: unknown
  readonly right: unknown
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The innermost places that differ, in the order of the bodies, at most so many. */
export function differencesOf(left: unknown, right: unknown, most: number): Difference[] {
  const found: Difference[] = []
  const visit = (a: unknown, b: unknown, path: Path): void => {
    if (found.length >= most) return
    if (!isNested(a) || !isNested(b) || Array.isArray(a) !== Array.isArray(b)) {
      if (a !== b) found.push({ path, left: a, right: b })
      return
    }
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const step = Array.isArray(a) ? Number(key) : key
      const inner = (side: object): unknown =>
        Object.hasOwn(side, key) ? (side as Record<string, unknown>)[key] : undefined
      visit(inner(a), inner(b), [...path, step])
    }
  }
  visit(left, right, [])
  return found
}
