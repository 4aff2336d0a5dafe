/** Values out of a request: read as data, by their own keys only. */
import type { JsonObject } from '../gateway/http/json-body.ts'

export type { JsonObject }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own value under `key`; inherited members such as `constructor` do not count. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function ownString(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

export function ownObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = own(object, key)
  return isObject(value) ? value : undefined
}

/** Sets an own key even when it is called `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The beginning of a text, at most so many characters of it. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  // Never between the halves of a character.
  const end = isHighHalf(text.charCodeAt(most - 2)) ? most - 2 : most - 1
  return `${text.slice(0, end)}…`
}

export function isHighHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
