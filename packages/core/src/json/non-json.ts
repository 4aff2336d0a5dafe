/** Finds what a program's value has and JSON cannot express: a cycle, a BigInt, a list with a hole. */
import { show } from './text.ts'

export interface NonJson {
  readonly path: readonly (string | number)[]
  /** A sentence about it, with its place and the remedy. */
  readonly message: string
}

interface Frame {
  readonly holder: object
  /** `undefined` for a list. */
  readonly keys: readonly string[] | undefined
  next: number
}

/** Works without recursion, and looks at each object once, so that depth and shared objects cost nothing extra. */
export function findNonJson(root: unknown): NonJson | undefined {
  const frames: Frame[] = []
  const isOpen = new Map<object, boolean>()
  const problem = (what: string, remedy: string): NonJson => {
    const path = frames.map(({ keys, next }) => keys?.[next - 1] ?? next - 1)
    const place =
      path.length === 0
        ? 'The value'
        : path.map(key => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
    return { path, message: `${place.replace(/^\./, '')} ${what}, which JSON cannot express. ${remedy}` }
  }
  /** Returns what is wrong with the value itself. */
  const enter = (value: unknown): NonJson | undefined => {
    if (typeof value === 'bigint')
      return problem(`is the BigInt ${show(String(value))}`, 'Write it as a string or a number.')
    if (typeof value !== 'object' || value === null) return undefined
    const open = isOpen.get(value)
    if (open) return problem('contains itself', 'Leave the repetition out.')
    if (open === false) return undefined
    isOpen.set(value, true)
    frames.push({ holder: value, keys: Array.isArray(value) ? undefined : Object.keys(value), next: 0 })
    return undefined
  }
  let found = enter(root)
  for (let frame = frames.at(-1); frame !== undefined && found === undefined; frame = frames.at(-1)) {
    const { holder, keys } = frame
    if (frame.next === (keys ?? (holder as readonly unknown[])).length) {
      isOpen.set(holder, false)
      frames.pop()
      continue
    }
    const key = keys?.[frame.next] ?? frame.next
    const value = (holder as Record<string | number, unknown>)[key]
    frame.next++
    if (value === undefined && keys === undefined && !(key in holder))
      found = problem('is a hole in a list', 'Remove it, or put a value there.')
    else found = enter(value)
  }
  return found
}
