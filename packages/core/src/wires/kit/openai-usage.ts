/** Token counts of the OpenAI wires: totals that include everything, and objects with shares of them. */
import { append, isObject, own } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { FieldReader } from './field-reader.ts'
import { createFieldReader } from './field-reader.ts'
import { makeUsage } from './make-usage.ts'
import type { Leftovers, WireResidue } from './residue.ts'

export interface UsageKeys {
  readonly input: string
  readonly inputDetails: string
  readonly output: string
  readonly outputDetails: string
}

/** `undefined` if the two totals are missing; then nothing of it is understood. */
export function decodeOpenAiUsage(
  value: unknown,
  at: Path,
  keys: UsageKeys,
  residue: WireResidue,
): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const input = fields.number(keys.input)
  const output = fields.number(keys.output)
  if (input === undefined || output === undefined) return undefined
  const left: Leftovers = { entries: [], defaults: [] }
  const total = own(value, 'total_tokens')
  if (total === undefined) left.defaults.push([['total_tokens'], undefined])
  else if (total === input + output) fields.ignore('total_tokens')
  const inputShares = openDetails(fields, keys.inputDetails, left)
  const outputShares = openDetails(fields, keys.outputDetails, left)
  const shares = {
    cacheRead: inputShares?.number('cached_tokens'),
    cacheWrite: inputShares?.number('cache_write_tokens'),
    reasoning: outputShares?.number('reasoning_tokens'),
  }
  closeDetails(inputShares, keys.inputDetails, left)
  closeDetails(outputShares, keys.outputDetails, left)
  const entries = fields.unread()
  append(entries, left.entries)
  return makeUsage(input, output, shares, residue.create(at, entries, left.defaults))
}

/** An empty object is recorded, for nothing else would restore it. */
function openDetails(fields: FieldReader, key: string, left: Leftovers): FieldReader | undefined {
  const details = fields.object(key)
  if (details === undefined) return undefined
  if (Object.keys(details).length === 0) left.defaults.push([[key], {}])
  return createFieldReader(details)
}

/** A share of zero is what every other wire means by leaving it out. */
function closeDetails(details: FieldReader | undefined, key: string, left: Leftovers): void {
  if (details === undefined) return
  for (const entry of details.unread([key])) (entry[1] === 0 ? left.defaults : left.entries).push(entry)
}
