/**
 * Which model uses which encoding, as of November 2026: as OpenAI's tiktoken lists its models, and its model
 * pages for those that came later. No other provider has published the tokenizer of its present models.
 */
import type { Encoding, TokenCounter } from './counter.ts'
import { estimateCounter } from './estimate.ts'
import { loadCounter } from './load-counter.ts'
import { longestMatch } from './model-limits.ts'

const modelEncodings: { readonly [model: string]: Encoding } = {
  'gpt-3.5': 'cl100k_base',
  'gpt-35': 'cl100k_base',
  'gpt-4': 'cl100k_base',
  'gpt-4o': 'o200k_base',
  'chatgpt-4o': 'o200k_base',
  'gpt-4.1': 'o200k_base',
  'gpt-4.5': 'o200k_base',
  'gpt-5': 'o200k_base',
  'gpt-5.1': 'o200k_base',
  'gpt-5.2': 'o200k_base',
  'gpt-5.3': 'o200k_base',
  'gpt-5.4': 'o200k_base',
  'gpt-5.5': 'o200k_base',
  'gpt-5.6': 'o200k_base',
  // o200k_harmony is o200k_base with more special tokens, which no text of a request becomes.
  'gpt-oss': 'o200k_base',
  'codex-mini': 'o200k_base',
  o1: 'o200k_base',
  o3: 'o200k_base',
  o4: 'o200k_base',
}

/** The model's encoding; `undefined` when none is public, or the model is not known. */
export function encodingOfModel(model: unknown): Encoding | undefined {
  return longestMatch(model, modelEncodings, isEncoding)
}

function isEncoding(value: unknown): value is Encoding {
  return value === 'o200k_base' || value === 'cl100k_base'
}

/** The model's own tokenizer where it is public, and otherwise an estimate that says so. */
export async function counterForModel(model: string): Promise<TokenCounter> {
  const encoding = encodingOfModel(model)
  if (encoding !== undefined) return await loadCounter(encoding)
  return isClaude(model) ? claudeCounter : { ...estimateCounter, errorBound: unknownTokenizer }
}

const unknownTokenizer: TokenCounter['errorBound'] = {
  kind: 'estimate',
  note: `The tokenizer of this model is not known here. ${estimateCounter.errorBound.note}`,
}

function isClaude(model: unknown): boolean {
  return typeof model === 'string' && /\bclaude\b/i.test(model)
}

const claudeCounter: TokenCounter = {
  ...estimateCounter,
  errorBound: {
    kind: 'estimate',
    note:
      'No tokenizer of Claude is public. The estimate is within 15 % of o200k_base; Anthropic says that its newer ' +
      'tokenizers give about 30 % more tokens than its earlier ones. POST /v1/messages/count_tokens is exact.',
  },
}
