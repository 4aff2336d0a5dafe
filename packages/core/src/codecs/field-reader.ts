/**
 * Reads fields of an untrusted object by the type they should have. Whatever was not read, for being unknown
 * or of the wrong type, is left over for the residue: nothing can be lost by forgetting it.
 */
import type { Path } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject, own } from '../model/json.ts'

export interface FieldReader {
  string(key: string): string | undefined
  boolean(key: string): boolean | undefined
  object(key: string): JsonObject | undefined
  list(key: string): readonly unknown[] | undefined
  /** Any value but `null`, which is left for the residue like every other way of saying nothing. */
  value(key: string): unknown
  /** Marks a key as read. */
  skip(key: string): void
  /** What was not read, as residue entries under `prefix`. */
  rest(prefix?: Path): [path: Path, value: unknown][]
}

export function createFieldReader(source: JsonObject): FieldReader {
  const read = new Set<string>()
  const take = <T>(key: string, fits: (value: unknown) => value is T): T | undefined => {
    const value = own(source, key)
    if (!fits(value)) return undefined
    read.add(key)
    return value
  }
  return {
    string: key => take(key, value => typeof value === 'string'),
    boolean: key => take(key, value => typeof value === 'boolean'),
    object: key => take(key, isObject),
    list: key => take(key, (value): value is readonly unknown[] => Array.isArray(value)),
    value: key => take(key, (value): value is NonNullable<unknown> => value !== null && value !== undefined),
    skip: key => void read.add(key),
    rest: (prefix = []) =>
      Object.entries(source)
        // Functions and undefined are no JSON: a wire cannot carry them, so nothing can be lost.
        .filter(([key, value]) => !read.has(key) && value !== undefined && typeof value !== 'function')
        .map(([key, value]) => [[...prefix, key], value]),
  }
}
