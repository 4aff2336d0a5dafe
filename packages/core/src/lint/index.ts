/** @toolwire/core/lint: what a provider would refuse in tool definitions, with remedies and certain fixes. */
export type { LintOptions } from './context.ts'
export type { LintEdit, LintFinding, LintFix } from './finding.ts'
export type { LintResult } from './lint-tools.ts'
export { lintToolParams, lintTools } from './lint-tools.ts'
