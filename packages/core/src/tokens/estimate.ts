/** The counter that needs no vocabulary. */
import { estimateTokens } from '../model/estimate-tokens.ts'
import type { TokenCounter } from './counter.ts'

/** Estimates tokens without a tokenizer, from the kinds and lengths of words. */
export const estimateCounter: TokenCounter = {
  method: 'estimate from the kinds and lengths of words',
  errorBound: {
    kind: 'estimate',
    percent: 15,
    note: 'Measured against o200k_base on prose, code and JSON of a page or more; short texts and other tokenizers differ more.',
  },
  count: estimateTokens,
}
