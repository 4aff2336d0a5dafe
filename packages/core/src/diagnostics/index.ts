/** @toolwire/core/diagnostics: what every diagnostic means and how severe it is, and suggestions for mistyped names. */
export type { Severity } from '../model/diagnostic.ts'
export type { DiagnosticCode } from '../model/diagnostic-codes.ts'
export { severities } from '../model/diagnostic-codes.ts'
export { nearestNames } from '../runtime/tools/nearest-names.ts'
export { catalog, catalogGroups } from './catalog.ts'
export type { Explanation } from './explanation.ts'
