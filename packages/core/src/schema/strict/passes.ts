/** The strict checks and rewrites as one value, for callers that leave it to others whether to carry them. */
import { isStrict, type StrictOptions } from './check-strict.ts'
import type { StrictRules } from './rules.ts'
import { type StrictPass, strictify } from './strictify.ts'

export interface StrictPasses {
  isStrict(schema: unknown, rules: StrictRules): boolean
  strictify(schema: unknown, options: StrictOptions): StrictPass
}

export const strictPasses: StrictPasses = { isStrict, strictify }
