/**
 * Marks every leaf of a JSON value with something that can be found again, so that a conversion can be
 * asked of each leaf: did you arrive, or does a diagnostic speak of you?
 */
import type { Diagnostic } from '@toolwire/core'

export type Path = readonly (string | number)[]

/** Leaves under these keys choose how the value is read; changing them would make another value. */
/** Leaves under these keys name something that other leaves refer to. */
const referable: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
])

const structural: ReadonlySet<string> = new Set([
  'type',
  'syntax',
  'mode',
  'execution',
  'role',
  'finish_reason',
  'stop_reason',
  'status',
  'media_type',
])

export function leaves(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => leaves(item, [...path, i]))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]))
  }
  return [{ path, value }]
}

export interface Marked {
  readonly value: unknown
  /** Each marked leaf and the text by which it is known in any JSON it arrives in. */
  readonly marks: readonly { path: Path; mark: string }[]
}

/** Names are told apart from texts because references must keep pointing at the tool they name. */
export function markLeaves(value: unknown): Marked {
  const marks: { path: Path; mark: string }[] = []
  const names = new Map<string, string>()
  const visit = (item: unknown, path: Path): unknown => {
    if (Array.isArray(item)) return item.map((inner, i) => visit(inner, [...path, i]))
    if (typeof item === 'object' && item !== null) {
      return Object.fromEntries(
        Object.entries(item).map(([key, inner]) => [key, visit(inner, [...path, key])]),
      )
    }
    const key = String(path.findLast(part => typeof part === 'string'))
    if (structural.has(key) || (path.at(-1) === 'tool_choice' && typeof item === 'string')) return item
    if (typeof item === 'string') {
      const isName = referable.has(key)
      const mark = isName ? nameMark(names, item) : `mark${marks.length}x`
      marks.push({ path, mark })
      return isName && item.length > 20
        ? mark + item
        : isName && /[^\w-]/.test(item)
          ? `${mark}.${item}`
          : mark
    }
    if (typeof item === 'number') {
      const mark = String(700_000 + marks.length)
      marks.push({ path, mark })
      return Number(mark)
    }
    return item
  }
  return { value: visit(value, []), marks }
}

function nameMark(names: Map<string, string>, name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const mark = `name${names.size}x`
  names.set(name, mark)
  return mark
}

/** A diagnostic about the whole speaks of no leaf in particular. */
export function isCovered(path: Path, diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(
    ({ path: at }) => at.length > 0 && at.length <= path.length && at.every((part, i) => part === path[i]),
  )
}
