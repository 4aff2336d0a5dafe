/**
 * Facts by model, gathered from public pages as of November 2026, and bound to age. A key is a model's name or the
 * beginning of one; `longestMatch` in `tokens/model-limits.ts` finds the entry of a model. A model that is not listed is
 * treated as the comment on each table says, and a caller's own figures come first.
 */

/** A model's name, or the beginning of one, to its largest output. */
export type ModelLimits = { readonly [model: string]: number }

/** The most tokens of one answer, from the model pages of OpenAI and Anthropic. A model that is not listed has no limit. */
export const modelLimits: ModelLimits = {
  'gpt-3.5-turbo': 4096,
  'gpt-4': 8192,
  'gpt-4-turbo': 4096,
  'gpt-4o': 16384,
  'gpt-4o-2024-05-13': 4096,
  'gpt-4.1': 32768,
  'gpt-4.5-preview': 16384,
  'gpt-5': 128000,
  'gpt-5-chat': 16384,
  'gpt-5-pro': 272000,
  'gpt-5.1': 128000,
  'gpt-5.1-chat': 16384,
  'gpt-5.2': 128000,
  'gpt-5.2-chat': 16384,
  'gpt-5.4': 128000,
  'gpt-5.5': 128000,
  'gpt-oss': 131072,
  o1: 100000,
  'o1-mini': 65536,
  'o1-preview': 32768,
  o3: 100000,
  'o4-mini': 100000,
  'claude-3-opus': 4096,
  'claude-3-haiku': 4096,
  'claude-3-5-haiku': 8192,
  'claude-3-5-sonnet': 8192,
  'claude-3-7-sonnet': 64000,
  'claude-haiku-4-5': 64000,
  'claude-opus-4-0': 32000,
  'claude-opus-4-20250514': 32000,
  'claude-opus-4-1': 32000,
  'claude-opus-4-5': 64000,
  'claude-opus-4-6': 128000,
  'claude-opus-4-7': 128000,
  'claude-opus-4-8': 128000,
  'claude-opus-5': 128000,
  'claude-sonnet-4-0': 64000,
  'claude-sonnet-4-20250514': 64000,
  'claude-sonnet-4-5': 64000,
  'claude-sonnet-4-6': 128000,
  'claude-sonnet-5': 128000,
  'claude-fable-5': 128000,
}

/** The tokenizers that are public. */
export type Encoding = 'o200k_base' | 'cl100k_base'

/**
 * As OpenAI's tiktoken lists its models, and OpenAI's model pages for those that came later. No other provider has
 * published the tokenizer of its present models: a model that is not listed is estimated.
 */
export const modelEncodings: { readonly [model: string]: Encoding } = {
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

/** OpenAI's tiles of 512 pixels and patches of 32 pixels, and Anthropic's pixels by 750. */
export type ImageRule =
  | { readonly by: 'tiles'; readonly base: number; readonly tile: number }
  | { readonly by: 'patches'; readonly factor: number }
  | { readonly by: 'area' }

/** For a model that is not listed. */
export const usualImageRule: ImageRule = { by: 'tiles', base: 85, tile: 170 }

/** From OpenAI's guide to images. */
export const imageRules: { readonly [model: string]: ImageRule } = {
  'gpt-4o': usualImageRule,
  'gpt-4o-mini': { by: 'tiles', base: 2833, tile: 5667 },
  'gpt-4.1': usualImageRule,
  'gpt-4.1-mini': { by: 'patches', factor: 1.62 },
  'gpt-4.1-nano': { by: 'patches', factor: 2.46 },
  'gpt-4.5': usualImageRule,
  'gpt-5': { by: 'tiles', base: 70, tile: 140 },
  'gpt-5-mini': { by: 'patches', factor: 1.62 },
  'gpt-5-nano': { by: 'patches', factor: 2.46 },
  o1: { by: 'tiles', base: 75, tile: 150 },
  o3: { by: 'tiles', base: 75, tile: 150 },
  'o4-mini': { by: 'patches', factor: 1.72 },
}

/** The prompt that a provider adds to a request with tools, in tokens: when the model may choose, and when it must call. */
export type ToolPrompt = readonly [free: number, forced: number]

/** From Anthropic's page about tool use. */
export const toolPrompts: { readonly [model: string]: ToolPrompt } = {
  'claude-3-opus': [530, 281],
  'claude-3-sonnet': [159, 235],
  'claude-3-haiku': [264, 340],
  'claude-3-5-haiku': [264, 355],
  'claude-3-5-sonnet': [346, 313],
  'claude-3-7-sonnet': [346, 313],
  'claude-opus-4-0': [313, 315],
  'claude-opus-4-20250514': [313, 315],
  'claude-opus-4-1': [313, 315],
  'claude-opus-4-5': [496, 588],
  'claude-opus-4-6': [497, 589],
  'claude-opus-4-7': [675, 804],
  'claude-opus-4-8': [290, 410],
  'claude-sonnet-4-0': [313, 315],
  'claude-sonnet-4-20250514': [313, 315],
  'claude-sonnet-4-5': [496, 588],
  'claude-sonnet-4-6': [497, 589],
  'claude-sonnet-5': [354, 474],
  'claude-haiku-4-5': [496, 588],
}

/** For a model that is not listed: that of most models that are. */
export const usualToolPrompt: ToolPrompt = [496, 588]
