/** Token counts. Input includes what was cached, output includes reasoning. */

import type { JsonObject } from '../../../json/object.ts'
import { append, compact } from '../../../json/object.ts'
import type { Usage } from '../../../model/answer.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { makeUsage } from '../../kit/make-usage.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'

const inputDetails = 'input_tokens_details'
const outputDetails = 'output_tokens_details'

export function decodeUsage(value: JsonObject): Usage | undefined {
  const fields = createFieldReader(value)
  const input = fields.number('input_tokens')
  const output = fields.number('output_tokens')
  if (input === undefined || output === undefined) return undefined
  const total = fields.number('total_tokens')
  const quiet: ResidueEntry[] = []
  const spent = openDetails(fields, inputDetails, quiet)
  const made = openDetails(fields, outputDetails, quiet)
  const shares = {
    cacheRead: spent?.number('cached_tokens'),
    cacheWrite: spent?.number('cache_write_tokens'),
    reasoning: made?.number('reasoning_tokens'),
  }
  const entries = fields.unread()
  if (spent !== undefined) append(entries, spent.unread([inputDetails]))
  if (made !== undefined) append(entries, made.unread([outputDetails]))
  if (total !== undefined) (total === input + output ? quiet : entries).push([['total_tokens'], total])
  return makeUsage(input, output, shares, responsesResidue.create(['usage'], entries, quiet))
}

/** An empty object says nothing but goes back. */
function openDetails(fields: FieldReader, key: string, quiet: ResidueEntry[]): FieldReader | undefined {
  const details = fields.object(key)
  if (details === undefined) return undefined
  if (Object.keys(details).length === 0) quiet.push([[key], {}])
  return createFieldReader(details)
}

/** Clients insist on the details, so they are there even when nobody counted. */
export function encodeUsage(usage: Usage, writer: EncodeContext): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  const spent = { cached_tokens: cacheRead, cache_write_tokens: cacheWrite }
  const written: Record<string, unknown> = responsesResidue.owns(usage.residue)
    ? compact({
        input_tokens: input,
        input_tokens_details: detailsIfAny(compact(spent)),
        output_tokens: output,
        output_tokens_details: detailsIfAny(compact({ reasoning_tokens: reasoning })),
      })
    : {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cacheRead ?? 0, cache_write_tokens: cacheWrite ?? 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
        total_tokens: input + output,
      }
  responsesResidue.restore(written, usage.residue, writer.report)
  return written
}

function detailsIfAny(details: JsonObject): JsonObject | undefined {
  return Object.keys(details).length === 0 ? undefined : details
}
