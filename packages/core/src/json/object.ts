/**
 * Helpers for JSON objects. Objects that come from a wire are data: their keys are read with `own`, never through the
 * prototype, and objects are built so that a key named `__proto__` stays a key.
 */

export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value is a JSON object, and neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own value under `key`, never an inherited member such as `constructor`. */
export function own(object: JsonObject, key: string): unknown {
  const value = object[key]
  // Fast path: an absent key needs no `hasOwn` check.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

/** The same if the value is a string. */
export function ownString(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

/** Sets an own, enumerable key, even if it is named `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** Copies all own members of the source into the target, like `Object.assign`, but never sets the prototype. */
export function assignOwn(target: Record<string, unknown>, source: JsonObject): Record<string, unknown> {
  for (const key of Object.keys(source)) setOwn(target, key, source[key])
  return target
}

/** A shallow copy without these keys, in the same key order. */
export function omit(object: JsonObject, keys: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object)) if (!keys.includes(key)) setOwn(copy, key, object[key])
  return copy
}

/** Appends to the list in a loop: `push(...more)` overflows the stack if there are many items. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item)
}

/** An object while it is being built and not shared yet. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/**
 * The object without the keys whose value is `undefined`. Returns the same object if there are none, so the argument must
 * not be shared.
 */
export function compact<T extends object>(object: T): Compact<T> {
  const source = object as Record<string, unknown>
  const keys = Object.keys(source)
  if (!keys.some(key => source[key] === undefined)) return source as Compact<T>
  const copy: Record<string, unknown> = {}
  for (const key of keys) if (source[key] !== undefined) setOwn(copy, key, source[key])
  return copy as Compact<T>
}

/** Deeper values are not compared and count as different, to protect the call stack. */
const maxComparedDepth = 500

/** Whether two JSON values are equal, whatever the order of keys. */
export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || depth > maxComparedDepth) return false
  if (Array.isArray(a)) return Array.isArray(b) && haveSameItems(a, b, depth + 1)
  return isObject(a) && isObject(b) && haveSameMembers(a, b, depth + 1)
}

function haveSameItems(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at], depth)) return false
  return true
}

function haveSameMembers(a: JsonObject, b: JsonObject, depth: number): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) if (!Object.hasOwn(b, key) || !isSame(a[key], b[key], depth)) return false
  return true
}
