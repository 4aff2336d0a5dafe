/** Whether two JSON values say the same. What is shared between them is not looked into. */
import { isObject, own } from '../model/json.ts'

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
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isSame(own(a, key), own(b, key), depth + 1))
  )
}
