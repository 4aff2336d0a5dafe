/** `@toolwire/core/schema`: the validator and the passes over JSON Schema. */

export { toChatDialect, toMessagesDialect } from './dialects/dialects.ts'
export { type MinifyOptions, minify } from './dialects/minify.ts'
export { normalize } from './dialects/normalize.ts'
export type { PassOptions, SchemaPass } from './pass.ts'
export { type InlineOptions, type InlinePass, inlineRefs } from './refs/inline-refs.ts'
export { checkStrict, type StrictCheck, type StrictOptions } from './strict/check-strict.ts'
export { type StrictPasses, strictPasses } from './strict/passes.ts'
export {
  messagesStrictRules,
  openaiStrictRules,
  type StrictLimits,
  type StrictRules,
} from './strict/rules.ts'
export { type StrictPass, strictify } from './strict/strictify.ts'
export type { ValidationIssue } from './validate/check.ts'
export {
  createValidator,
  type SchemaValidator,
  type ValidationResult,
  type ValidatorOptions,
} from './validate/validate.ts'
