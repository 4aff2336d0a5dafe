/** Token counts. Like the model, Chat counts everything in the totals, and shares of them in the details. */
import type { JsonObject } from '../../../json/object.ts'
import { compact } from '../../../json/object.ts'
import type { Usage } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { UsageKeys } from '../../kit/openai-usage.ts'
import { decodeOpenAiUsage } from '../../kit/openai-usage.ts'
import { chatResidue } from '../residue.ts'

const keys: UsageKeys = {
  input: 'prompt_tokens',
  inputDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
  outputDetails: 'completion_tokens_details',
}

export function decodeUsage(value: unknown, at: Path): Usage | undefined {
  return decodeOpenAiUsage(value, at, keys, chatResidue)
}

export function encodeUsage(usage: Usage, report: Report): JsonObject {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  const written: Record<string, unknown> = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }
  if (cacheRead !== undefined || cacheWrite !== undefined) {
    written.prompt_tokens_details = compact({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite })
  }
  if (reasoning !== undefined) written.completion_tokens_details = { reasoning_tokens: reasoning }
  return chatResidue.complete(written, usage.residue, report)
}
