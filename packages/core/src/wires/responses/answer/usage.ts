/** Token counts. Input includes what was cached, output includes reasoning. */
import type { JsonObject } from '../../../json/object.ts'
import { compact } from '../../../json/object.ts'
import type { Usage } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { totalUsage } from '../../../model/usage.ts'
import type { UsageKeys } from '../../kit/usage.ts'
import { decodeOpenAiUsage } from '../../kit/usage.ts'
import { responsesResidue } from '../residue.ts'

const keys: UsageKeys = {
  input: 'input_tokens',
  inputDetails: 'input_tokens_details',
  output: 'output_tokens',
  outputDetails: 'output_tokens_details',
}

export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  return decodeOpenAiUsage(value, at, keys, responsesResidue)
}

/** Clients expect the details, so they are written even if they are not known. */
export function encodeUsage(usage: Usage, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning, residue } = totalUsage(usage)
  const absent = responsesResidue.owns(residue) ? undefined : 0
  const inputShares = compact({
    cached_tokens: cacheRead ?? absent,
    cache_write_tokens: cacheWrite ?? absent,
  })
  const outputShares = compact({ reasoning_tokens: reasoning ?? absent })
  const written = compact({
    input_tokens: input,
    input_tokens_details: isEmpty(inputShares) ? undefined : inputShares,
    output_tokens: output,
    output_tokens_details: isEmpty(outputShares) ? undefined : outputShares,
    total_tokens: input + output,
  })
  return responsesResidue.complete(written, residue, report)
}

function isEmpty(details: JsonObject): boolean {
  return Object.keys(details).length === 0
}
