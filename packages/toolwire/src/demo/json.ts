/** Reads values of a request as data, by their own keys only, and cuts texts. */
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

/** Sets an own property even when its key is `__proto__`. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first `length` characters of a text, or one less where they would end within a surrogate pair. */
export function firstCharacters(text: string, length: number): string {
  if (length >= text.length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, Math.max(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length))
}

/** One line of at most `most` characters. */
export function shorten(text: string, most: number): string {
  // Only the beginning is shown, so the rest of a long text is not searched for line ends.
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= most ? line : `${firstCharacters(line, most - 1)}…`
}
