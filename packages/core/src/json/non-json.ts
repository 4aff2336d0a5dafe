/** Finds what a program's value has and JSON cannot express: a cycle, a BigInt, a list with a hole, a schema of a library. */
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

/** How many objects, and how deep, the quick look goes. What is larger may contain itself, or share its objects. */
const quickObjects = 100_000
const quickDepth = 100

/** What schemas of Zod, Valibot, ArkType and others have in common. Their other members are no JSON Schema. */
const schemaMark = '~standard'
const schemaRemedy =
  'Give its JSON Schema, or define the tool with defineTool, which takes the schema itself.'

export function findNonJson(root: unknown): NonJson | undefined {
  return new QuickLook().isJson(root, quickDepth) ? undefined : search(root)
}

/** Nearly all values are JSON, and to see only that takes a fraction of the time. */
class QuickLook {
  #left = quickObjects

  /** `false`: not JSON, or not certain. */
  isJson(value: unknown, depth: number): boolean {
    if (typeof value !== 'object') return typeof value !== 'bigint' && typeof value !== 'function'
    if (value === null) return true
    if (schemaMark in value || depth === 0 || this.#left-- === 0) return false
    if (!Array.isArray(value)) {
      for (const key in value) {
        const member = (value as Record<string, unknown>)[key]
        if (typeof member !== 'string' && !this.isJson(member, depth - 1)) return false
      }
      return true
    }
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at]
      if (typeof item === 'string') continue
      if (item === undefined ? !(at in value) : !this.isJson(item, depth - 1)) return false
    }
    return true
  }
}

/** Works without recursion, and looks at each object once, so that depth and shared objects cost nothing extra. */
function search(root: unknown): NonJson | undefined {
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
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
    if (schemaMark in value) return problem('is a schema of a library', schemaRemedy)
    if (typeof value === 'function') return undefined
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
