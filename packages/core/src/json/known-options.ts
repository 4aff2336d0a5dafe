/** Options are code: one that does not exist is a mistake, thrown at once with what it could have been. */
import { nearestNames } from './nearest-names.ts'
import { isObject } from './object.ts'

/** Every option of a type. An object, so that the compiler finds one that is missing here. */
export type KnownOptions<T> = { readonly [Key in T extends unknown ? keyof T : never]: true }

/** `where`: whose options they are. What is no object is left to the checks of its owner. */
export function refuseUnknownOptions(where: string, options: unknown, known: object): void {
  if (!isObject(options)) return
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(known, key)) continue
    const names = Object.keys(known)
    const [near] = nearestNames(key, names)
    const remedy = near === undefined ? `Known are ${names.join(', ')}.` : `Did you mean "${near}"?`
    throw new TypeError(`${where} has no option "${key}". ${remedy}`)
  }
}
