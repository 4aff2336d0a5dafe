/** @toolwire/core/diagnostics: what every diagnostic means and how severe it is, and suggestions for mistyped names. */

export { nearestNames } from '../json/nearest-names.ts'
export type { Severity } from '../model/diagnostic.ts'
export type { DiagnosticCode } from '../model/diagnostic-codes.ts'
export { severities, severitiesAsIs } from '../model/diagnostic-codes.ts'
export { catalog, catalogGroups } from './catalog.ts'
export type { Explanation } from './explanation.ts'
