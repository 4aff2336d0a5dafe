/** Equality of JSON values as JSON Schema means it: key order does not count, `1` and `1.0` are the same. */
import { isObject } from '../model/json.ts'

/** A text that is the same for equal values and for no others, so that a `Set` can compare in linear time. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map(key => `${JSON.stringify(key)}:${canonical(value[key])}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value) ?? 'undefined'
}

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  return canonical(a) === canonical(b)
}

/** The JSON type name of a value; integers count as `number`. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

export const jsonTypes: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])

/** The `type` keyword as a list; `undefined` when absent or not in a legal form. */
export function typeList(type: unknown): string[] | undefined {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type) && type.every(item => typeof item === 'string')) return type
  return undefined
}
