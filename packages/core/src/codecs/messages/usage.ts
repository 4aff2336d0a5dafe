/** Token counts. Here the input count leaves out what the cache read and wrote; in the model it is all of it. */
import type { Usage } from '../../model/answer.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { createFieldReader } from '../field-reader.ts'
import { close } from './leftovers.ts'

/** `undefined` when the counts cannot be added up; the caller then keeps them as they are. */
export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const count = (key: string): number | undefined => {
    const found = own(value, key)
    if (!isCount(found)) return undefined
    fields.skip(key)
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
    const inner = createFieldReader(details)
    inner.skip('thinking_tokens')
    fields.skip('output_tokens_details')
    more.push(...inner.rest(['output_tokens_details']))
  }
  return {
    input,
    output,
    ...compact({ cacheRead, cacheWrite, reasoning: isCount(reasoning) ? reasoning : undefined }),
    residue: { wire: 'messages', at, entries: [...fields.rest(), ...more] },
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
}

export function encodeUsage(usage: Usage | undefined, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning, residue } = usage ?? { input: 0, output: 0 }
  const cache = { cache_creation_input_tokens: cacheWrite, cache_read_input_tokens: cacheRead }
  const unknown = { cache_creation_input_tokens: null, cache_read_input_tokens: null }
  const written = {
    input_tokens: Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    ...(residue?.wire !== 'messages' && unknown),
    ...compact(cache),
    output_tokens: output,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
  }
  return close(written, residue, report)
}
