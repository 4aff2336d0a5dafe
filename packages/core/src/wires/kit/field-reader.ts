/**
 * Reads fields of an untrusted object by the type they should have. Fields that were not read, because they are unknown
 * or of another type, become residue: a field that a decoder forgets is not lost.
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'

/** For authors of a wire. */
export function createFieldReader(source: JsonObject): FieldReader {
  return new FieldReader(source)
}

const top: Path = []

/** Reads the fields of an object once each, and knows which were never read. */
export class FieldReader {
  readonly #source: JsonObject
  /** The object's own keys; those that were read are replaced by `undefined`. */
  readonly #keys: (string | undefined)[]
  #unread: number

  constructor(source: JsonObject) {
    this.#source = source
    this.#keys = Object.keys(source)
    this.#unread = this.#keys.length
  }

  string(key: string): string | undefined {
    const value = this.#source[key]
    return typeof value === 'string' && this.#take(key) ? value : undefined
  }

  number(key: string): number | undefined {
    const value = this.#source[key]
    return typeof value === 'number' && this.#take(key) ? value : undefined
  }

  boolean(key: string): boolean | undefined {
    const value = this.#source[key]
    return typeof value === 'boolean' && this.#take(key) ? value : undefined
  }

  object(key: string): JsonObject | undefined {
    const value = this.#source[key]
    return isObject(value) && this.#take(key) ? value : undefined
  }

  list(key: string): readonly unknown[] | undefined {
    const value = this.#source[key]
    return Array.isArray(value) && this.#take(key) ? value : undefined
  }

  /** Any value but `null`, which stays unread. */
  value(key: string): unknown {
    const value = this.#source[key]
    return value !== null && value !== undefined && this.#take(key) ? value : undefined
  }

  /** Whether the field has this value; if so, it counts as read. */
  is(key: string, value: string | number): boolean {
    return this.#source[key] === value && this.#take(key)
  }

  /** Marks a key as read. */
  ignore(key: string): void {
    this.#take(key)
  }

  /** What was not read, as residue entries under `prefix`. */
  unread(prefix: Path = top): ResidueEntry[] {
    const entries: ResidueEntry[] = []
    if (this.#unread === 0) return entries
    for (const key of this.#keys) {
      if (key === undefined) continue
      const value = this.#source[key]
      // Functions and `undefined` are not JSON, so no wire can carry them.
      if (value !== undefined && typeof value !== 'function') entries.push([into(prefix, key), value])
    }
    return entries
  }

  /** Whether the key is the object's own; if so, it counts as read. */
  #take(key: string): boolean {
    const keys = this.#keys
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== key) continue
      keys[i] = undefined
      this.#unread--
      return true
    }
    // It was read before, or it is inherited and not a field.
    return Object.hasOwn(this.#source, key)
  }
}
