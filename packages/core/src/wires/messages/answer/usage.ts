/** Token counts. On this wire the input excludes tokens read from or written to the cache; in the model it includes them. */

import type { JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { ServedTier, Usage } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { makeUsage } from '../../kit/usage.ts'
import { messagesResidue } from '../residue.ts'

/** `undefined` if the counts cannot be added; the caller then leaves them in the residue. */
export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = new FieldReader(value)
  const count = (key: string): number | undefined => {
    const found = own(value, key)
    if (!isCount(found)) return undefined
    fields.ignore(key)
    return found
  }
  const fresh = count('input_tokens')
  const output = count('output_tokens')
  const cacheWrite = count('cache_creation_input_tokens')
  const cacheRead = count('cache_read_input_tokens')
  const input = (fresh ?? 0) + (cacheWrite ?? 0) + (cacheRead ?? 0)
  if (fresh === undefined || output === undefined || !isCount(input)) return undefined
  const details = own(value, 'output_tokens_details')
  const reasoning = isObject(details) ? own(details, 'thinking_tokens') : undefined
  const more: ResidueEntry[] = []
  if (isObject(details) && isCount(reasoning)) {
    const inner = new FieldReader(details)
    inner.ignore('thinking_tokens')
    fields.ignore('output_tokens_details')
    append(more, inner.unread(['output_tokens_details']))
  }
  const shares = { cacheRead, cacheWrite, reasoning: isCount(reasoning) ? reasoning : undefined }
  const defaults: ResidueEntry[] = []
  const told = decodeServedTier(value)?.path[1]
  for (const key of tierKeys) {
    const word = own(value, key)
    if (key !== told && tiers.get(word) !== 'default') continue
    fields.ignore(key)
    defaults.push([[key], word])
  }
  const entries = fields.unread()
  append(entries, more)
  return makeUsage(input, output, shares, messagesResidue.create(at, entries, defaults))
}

/** What is fast here is a tier on other wires, and comes before the tier that it has here. */
const tierKeys = ['speed', 'service_tier'] as const
const tiers: ReadonlyMap<unknown, string> = new Map([
  ['fast', 'fast'],
  ['priority', 'priority'],
  ['standard', 'default'],
])

/** The tier in the usage. What is not the usual way tells the most. */
export function decodeServedTier(usage: JsonObject): ServedTier | undefined {
  const key =
    tierKeys.find(name => (tiers.get(own(usage, name)) ?? 'default') !== 'default') ?? 'service_tier'
  const value = tiers.get(own(usage, key))
  return value === undefined ? undefined : { value, path: ['usage', key] }
}

export function encodeServedTier({ value, path }: ServedTier, report: Report): JsonObject | undefined {
  for (const [word, tier] of tiers) {
    if (tier === value) return { [value === 'fast' ? 'speed' : 'service_tier']: word }
  }
  report('field_dropped', path, `Messages has no service tier "${value}"; it was left out.`)
  return undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
}

export function encodeUsage(usage: Usage | undefined, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning, residue } = usage ?? { input: 0, output: 0 }
  // A count that is not known is `null`, unless the answer was read from this wire without it.
  const uncounted = residue?.wire === 'messages' ? undefined : null
  const written: Record<string, unknown> = compact({
    input_tokens: Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    cache_creation_input_tokens: cacheWrite ?? uncounted,
    cache_read_input_tokens: cacheRead ?? uncounted,
    output_tokens: output,
  })
  if (reasoning !== undefined) written.output_tokens_details = { thinking_tokens: reasoning }
  if (usage?.compaction !== undefined) written.iterations = iterationsOf(usage, usage.compaction)
  return messagesResidue.complete(written, residue, report)
}

/** The tokens of a compaction are not in the counts of the answer; a list has both. */
function iterationsOf(usage: Usage, compaction: Usage): readonly JsonObject[] {
  const made = iteration('compaction', compaction)
  return usage.input + usage.output === 0 ? [made] : [made, iteration('message', usage)]
}

function iteration(type: string, { input, output, cacheRead = 0, cacheWrite = 0 }: Usage): JsonObject {
  return {
    type,
    ...(type === 'message' && { model: null }),
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: null,
    output_tokens: output,
  }
}
