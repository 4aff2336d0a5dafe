/** Token counts. Those of the OpenAI wires are totals that include everything, and objects with shares of them. */
import type { Draft } from '../../json/object.ts'
import { append, isObject, own } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { Residue } from '../../model/residue.ts'
import { FieldReader } from './field-reader.ts'
import { openObject } from './plain-settings.ts'
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
  const fields = new FieldReader(value)
  const input = fields.number(keys.input)
  const output = fields.number(keys.output)
  if (input === undefined || output === undefined) return undefined
  const left: Leftovers = { entries: [], defaults: [] }
  const total = own(value, 'total_tokens')
  if (total === undefined) left.defaults.push([['total_tokens'], undefined])
  else if (total === input + output) fields.ignore('total_tokens')
  const inputShares = openObject(fields, keys.inputDetails, left)
  const outputShares = openObject(fields, keys.outputDetails, left)
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

/** A share of zero is what every other wire means by leaving it out. */
function closeDetails(details: FieldReader | undefined, key: string, left: Leftovers): void {
  if (details === undefined) return
  for (const entry of details.unread([key])) (entry[1] === 0 ? left.defaults : left.entries).push(entry)
}

interface Shares {
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
  readonly reasoning: number | undefined
}

/** Token counts, with those of their shares that are known. */
export function makeUsage(input: number, output: number, shares: Shares, residue: Residue): Usage {
  const { cacheRead, cacheWrite, reasoning } = shares
  const usage: Draft<Usage> = { input, output, residue }
  if (cacheRead !== undefined) usage.cacheRead = cacheRead
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite
  if (reasoning !== undefined) usage.reasoning = reasoning
  return usage
}
