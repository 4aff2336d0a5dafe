/** Reads values of a request as data, by their own keys only, and cuts texts. */
import type { JsonObject } from '@toolwire/core/json'
import { isObject, own } from '@toolwire/core/json'

export function ownString(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

export function ownObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = own(object, key)
  return isObject(value) ? value : undefined
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
