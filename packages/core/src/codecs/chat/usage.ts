/** Token counts. Chat counts as the model does: everything in the totals, shares of it in the details. */
import type { Usage } from '../../model/answer.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'
import { dropAbsent, ownResidue, readNumber } from './own-residue.ts'

const inputDetails = 'prompt_tokens_details'
const outputDetails = 'completion_tokens_details'

/** `undefined` when the two totals are not there; then nothing of it is understood. */
export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const input = readNumber(value, 'prompt_tokens', fields)
  const output = readNumber(value, 'completion_tokens', fields)
  if (input === undefined || output === undefined) return undefined
  const entries: ResidueEntry[] = []
  const quiet: ResidueEntry[] = []
  const total = own(value, 'total_tokens')
  if (total === undefined) quiet.push([['total_tokens'], undefined])
  else if (total === input + output) fields.skip('total_tokens')
  const shares = {
    ...readDetails(
      value,
      inputDetails,
      { cacheRead: 'cached_tokens', cacheWrite: 'cache_write_tokens' },
      fields,
      {
        entries,
        quiet,
      },
    ),
    ...readDetails(value, outputDetails, { reasoning: 'reasoning_tokens' }, fields, { entries, quiet }),
  }
  return { input, output, ...shares, residue: ownResidue(at, [...fields.rest(), ...entries], quiet) }
}

type Share = 'cacheRead' | 'cacheWrite' | 'reasoning'

function readDetails(
  usage: JsonObject,
  key: string,
  shares: { readonly [Name in Share]?: string },
  fields: FieldReader,
  left: { entries: ResidueEntry[]; quiet: ResidueEntry[] },
): { [Name in Share]?: number } {
  const details = own(usage, key)
  if (!isObject(details)) return {}
  fields.skip(key)
  const inner = createFieldReader(details)
  const read = Object.entries(shares).map(([name, field]) => [name, readNumber(details, field, inner)])
  for (const entry of inner.rest([key])) {
    // A share of zero is what every other wire means by saying nothing.
    if (entry[1] === 0) left.quiet.push(entry)
    else left.entries.push(entry)
  }
  if (Object.keys(details).length === 0) left.quiet.push([[key], {}])
  return compact(Object.fromEntries(read))
}

export function encodeUsage(usage: Usage, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  const read = compact({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite })
  const written: Record<string, unknown> = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(Object.keys(read).length === 0 ? {} : { [inputDetails]: read }),
    ...(reasoning === undefined ? {} : { [outputDetails]: { reasoning_tokens: reasoning } }),
  }
  finish(written, usage.residue, 'chat', report)
  dropAbsent(written)
  return written
}
