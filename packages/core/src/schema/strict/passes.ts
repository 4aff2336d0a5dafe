/** The strict checks and rewrites as one value, for callers that leave it to others whether to carry them. */
import { isStrict, type StrictOptions } from './check-strict.ts'
import type { StrictRules } from './rules.ts'
import { type StrictPass, strictify } from './strictify.ts'

/** The two passes for strict mode, as values that are handed to exchanges which need them. */
export interface StrictPasses {
  isStrict(schema: unknown, rules: StrictRules): boolean
  strictify(schema: unknown, options: StrictOptions): StrictPass
}

/** The two passes for strict mode, for exchanges made from definitions. */
export const strictPasses: StrictPasses = { isStrict, strictify }
