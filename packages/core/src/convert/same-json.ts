/** Whether two JSON values say the same. What is shared between them is not looked into. */
import { isObject } from '../model/json.ts'

/** Beyond this depth nothing is compared, and the answer is no: the platform could not go on for long. */
const deepest = 500

export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (depth > deepest) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i], depth + 1))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && isSame(a[key], b[key], depth + 1))
}
