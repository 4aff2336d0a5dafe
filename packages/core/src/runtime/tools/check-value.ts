/** Whether arguments or a result fit their schema: by the schema library that the tool brought, or by our own validator. */
import { createValidator, type SchemaValidator } from '../../schema/validate/validate.ts'
import type { JsonSchema } from './json-schema.ts'
import { pointerOf, type StandardIssue, type StandardResult } from './standard-schema.ts'

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  /** One line for each thing that is wrong, with its path. */
  | { readonly ok: false; readonly issues: readonly string[] }

/** Schemas of tools are frozen, so what was compiled of one stays true. */
const compiled = new WeakMap<object, SchemaValidator>()

export function checkBySchema(schema: JsonSchema, value: unknown): Checked {
  let validator = compiled.get(schema)
  if (validator === undefined) {
    validator = createValidator(schema, { maxIssues: 100 })
    compiled.set(schema, validator)
  }
  const result = validator.validate(value)
  return result.ok ? { ok: true, value } : { ok: false, issues: result.issues.map(({ message }) => message) }
}

export function readStandardResult(result: StandardResult<unknown>): Checked {
  if (typeof result !== 'object' || result === null)
    throw new TypeError('The schema gave neither a value nor issues.')
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: result.issues.map(issueLine) }
}

function issueLine(issue: StandardIssue): string {
  const pointer = pointerOf(issue)
  return pointer === '' ? issue.message : `${pointer}: ${issue.message}`
}

export function listIssues(issues: readonly string[]): string {
  return issues.map(issue => `\n- ${issue}`).join('')
}
