/**
 * The few JSON helpers every room needs. Objects that come from a wire are data: their keys are read with
 * `own`, never through the prototype, and new objects are built so that a key named `__proto__` stays a key.
 */

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own value under `key`; inherited members such as `constructor` do not count. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets an own, enumerable key even when it is called `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** A shallow copy without the given keys, in the same key order. */
export function omit(object: JsonObject, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The object without the keys whose value is `undefined`: absent is written as absent. */
export function compact<T extends object>(object: T): Compact<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Compact<T>
}

/** The strings and numbers of a JSON text. Strings are matched so that digits inside them are not. */
export const jsonTokens: RegExp = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Whether reading the JSON text as JavaScript does would change a number in it. */
export function changesNumbers(text: string): boolean {
  const tokens = text.match(jsonTokens) ?? []
  return tokens.some(token => {
    if (token.startsWith('"')) return false
    const digits = token.replace(/^-|[.eE].*$/g, '')
    return digits.length > 15 && !Number.isSafeInteger(Number(token))
  })
}

/** A value as a message shows it: texts in quotes, anything else by its kind, never at length. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
