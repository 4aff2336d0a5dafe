/** Values as JSON Schema sees them: their types, and equality, in which key order does not count and `1` is `1.0`. */
import { isObject, type JsonObject, own } from '../json/object.ts'

/** A string that is the same exactly for equal values, so that a `Set` can compare them in linear time. */
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

/** The `type` keyword as a list; `undefined` when it is absent or malformed. */
export function typeList(type: unknown): string[] | undefined {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type) && type.every(item => typeof item === 'string')) return type
  return undefined
}

/** Whether a value has one of the types; an integer is a number without a fraction. */
export function hasType(value: unknown, types: readonly string[]): boolean {
  const type = typeOf(value)
  return types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value))
}

/** The values of `const` or `enum`; `undefined` without either. */
export function listedValues(schema: JsonObject): readonly unknown[] | undefined {
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : own(schema, 'enum')
  return Array.isArray(values) ? values : undefined
}
