/** Whether two JSON values say the same. What is shared between them is not looked into. */
import type { JsonObject } from './json.ts'
import { isObject } from './json.ts'

/** Beyond this depth nothing is compared, and the answer is no: the platform could not go on for long. */
const deepest = 500

export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || depth > deepest) return false
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
