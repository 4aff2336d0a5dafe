/** The interface of token counters, and how exact they are. */

import type { Encoding } from '../presets/models.ts'

/** How far a count can be from the truth. */
export interface ErrorBound {
  /** `exact`: what the model's own tokenizer gives. */
  readonly kind: 'exact' | 'estimate'
  /** How far off the count of a text was at most, in percent; absent when there is nothing to check it against. */
  readonly percent?: number
  /** What was checked, and where the bound does not hold. */
  readonly note: string
}

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** How it counts, in words to show beside the number. */
  readonly method: string
  /** The tokenizer behind it; absent for an estimate. */
  readonly encoding?: Encoding
  readonly errorBound: ErrorBound
  count(text: string): number
}
