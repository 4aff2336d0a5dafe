/** Token counts. Chat counts as the model does: everything in the totals, shares of it in the details. */

import type { JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { Usage } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { makeUsage } from '../../kit/make-usage.ts'
import { chatResidue } from '../residue.ts'

const inputDetails = 'prompt_tokens_details'
const outputDetails = 'completion_tokens_details'

/** `undefined` when the two totals are not there; then nothing of it is understood. */
export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const input = fields.number('prompt_tokens')
  const output = fields.number('completion_tokens')
  if (input === undefined || output === undefined) return undefined
  const left: Leftovers = { entries: [], quiet: [] }
  const total = own(value, 'total_tokens')
  if (total === undefined) left.quiet.push([['total_tokens'], undefined])
  else if (total === input + output) fields.ignore('total_tokens')
  const spent = openDetails(fields, inputDetails)
  const made = openDetails(fields, outputDetails)
  const shares = {
    cacheRead: spent?.number('cached_tokens'),
    cacheWrite: spent?.number('cache_write_tokens'),
    reasoning: made?.number('reasoning_tokens'),
  }
  if (spent !== undefined) closeDetails(value, inputDetails, spent, left)
  if (made !== undefined) closeDetails(value, outputDetails, made, left)
  const entries = fields.unread()
  append(entries, left.entries)
  return makeUsage(input, output, shares, chatResidue.create(at, entries, left.quiet))
}

interface Leftovers {
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

type DetailsKey = typeof inputDetails | typeof outputDetails

function openDetails(fields: FieldReader, key: DetailsKey): FieldReader | undefined {
  const details = fields.object(key)
  return details && createFieldReader(details)
}

function closeDetails(usage: JsonObject, key: DetailsKey, details: FieldReader, left: Leftovers): void {
  for (const entry of details.unread([key])) {
    // A share of zero is what every other wire means by saying nothing.
    if (entry[1] === 0) left.quiet.push(entry)
    else left.entries.push(entry)
  }
  if (isEmpty(own(usage, key))) left.quiet.push([[key], {}])
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

export function encodeUsage(usage: Usage, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  const written: Record<string, unknown> = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }
  if (cacheRead !== undefined || cacheWrite !== undefined) {
    written[inputDetails] = compact({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite })
  }
  if (reasoning !== undefined) written[outputDetails] = { reasoning_tokens: reasoning }
  return chatResidue.complete(written, usage.residue, report)
}
