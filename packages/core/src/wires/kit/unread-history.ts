/**
 * A history that is no list cannot be read. One error says so, which is all there is to say elsewhere; on its own wire it
 * goes on as it was.
 */

import type { JsonObject } from '../../json/object.ts'
import { own } from '../../json/object.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from './field-reader.ts'

interface Source {
  readonly body: JsonObject
  readonly fields: FieldReader
  readonly quiet: ResidueEntry[]
}

/** `wanted` says what it should have been. */
export function keepUnreadHistory(key: string, wanted: string, source: Source, report: Report): void {
  const value = own(source.body, key)
  if (value === undefined || value === null) return
  report('not_a_list', [key], `"${key}" must be ${wanted}.`)
  source.fields.ignore(key)
  source.quiet.push([[key], value])
}
