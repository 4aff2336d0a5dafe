/** Token counts. Input includes what was cached, output includes reasoning. */
import type { Usage } from '../../model/answer.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'
import type { Writer } from './fields.ts'
import { isOwn, readNumber, residueOf } from './fields.ts'

export function readUsage(value: JsonObject): Usage | undefined {
  const fields = createFieldReader(value)
  const input = readNumber(value, fields, 'input_tokens')
  const output = readNumber(value, fields, 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const total = readNumber(value, fields, 'total_tokens')
  const spent = openDetails(fields, 'input_tokens_details')
  const made = openDetails(fields, 'output_tokens_details')
  const counts = compact({
    cacheRead: spent.number('cached_tokens'),
    cacheWrite: spent.number('cache_write_tokens'),
    reasoning: made.number('reasoning_tokens'),
  })
  const totals: ResidueEntry[] = total === undefined ? [] : [[['total_tokens'], total]]
  const isSum = total === input + output
  return {
    input,
    output,
    ...counts,
    residue: residueOf(
      ['usage'],
      [...fields.rest(), ...spent.rest(), ...made.rest(), ...(isSum ? [] : totals)],
      [...spent.quiet, ...made.quiet, ...(isSum ? totals : [])],
    ),
  }
}

function openDetails(
  fields: FieldReader,
  key: string,
): { number(name: string): number | undefined; rest(): ResidueEntry[]; quiet: ResidueEntry[] } {
  const details = fields.object(key)
  const source = details ?? {}
  const inner = createFieldReader(source)
  return {
    number: name => readNumber(source, inner, name),
    rest: () => inner.rest([key]),
    quiet: details !== undefined && Object.keys(details).length === 0 ? [[[key], {}]] : [],
  }
}

/** Clients insist on the details, so they are there even when nobody counted. */
export function writeUsage(usage: Usage, writer: Writer): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  const spent = { cached_tokens: cacheRead, cache_write_tokens: cacheWrite }
  const written: Record<string, unknown> = isOwn(usage)
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
  finish(written, usage.residue, 'responses', writer.report)
  return written
}

function detailsIfAny(details: JsonObject): JsonObject | undefined {
  return Object.keys(details).length === 0 ? undefined : details
}
