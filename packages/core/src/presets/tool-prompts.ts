/** The prompts that providers add to requests with tools, in tokens, as of November 2026. */

/** The prompt that Anthropic adds to a request with tools: when the model may choose, and when it must call. */
export const claudeToolPrompts: { readonly [model: string]: readonly [free: number, forced: number] } = {
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
export const usualToolPrompt: readonly [free: number, forced: number] = [496, 588]
