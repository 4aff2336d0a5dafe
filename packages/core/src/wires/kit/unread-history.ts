/**
 * A history that is not a list cannot be read. One error reports that; on its own wire the value is written back.
 */

import type { JsonObject } from '../../json/object.ts'
import { own } from '../../json/object.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from './field-reader.ts'

interface Source {
  readonly body: JsonObject
  readonly fields: FieldReader
  readonly defaults: ResidueEntry[]
}

/** `expected` describes what it should be. */
export function keepUnreadHistory(key: string, expected: string, source: Source, report: Report): void {
  const value = own(source.body, key)
  if (value === undefined || value === null) return
  report('not_a_list', [key], `"${key}" must be ${expected}.`)
  source.fields.ignore(key)
  source.defaults.push([[key], value])
}
