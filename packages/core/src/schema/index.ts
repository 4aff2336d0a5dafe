/** The passes over JSON Schema, as published under `@toolwire/core/schema`. */
export { checkStrict, type StrictCheck, type StrictOptions } from './check-strict.ts'
export { toChatDialect, toMessagesDialect } from './dialects.ts'
export { type InlineOptions, type InlinePass, inlineRefs } from './inline-refs.ts'
export { type MinifyOptions, minify } from './minify.ts'
export { normalize } from './normalize.ts'
export type { PassOptions, SchemaPass } from './pass.ts'
export {
  messagesStrictRules,
  openaiStrictRules,
  type StrictLimits,
  type StrictRules,
} from './strict-rules.ts'
export { type StrictPass, strictify } from './strictify.ts'
export {
  createValidator,
  type SchemaValidator,
  type ValidationResult,
  type ValidatorOptions,
} from './validate.ts'
export type { ValidationIssue } from './validate-run.ts'
