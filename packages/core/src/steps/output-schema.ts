/**
 * An output schema in the three forms that a step needs: as JSON Schema, as it is sent to the model, and as a check.
 * Strict mode is used wherever the schema has a strict form; `undo` removes what that form adds to the output.
 */
import type { Diagnostic } from '../model/diagnostic.ts'
import { ToolError } from '../runtime/errors.ts'
import { type JsonSchema, toJsonSchema } from '../runtime/tools/json-schema.ts'
import {
  isStandardSchema,
  pointerOf,
  type StandardIssue,
  type StandardSchema,
} from '../runtime/tools/standard-schema.ts'
import { strictify } from '../schema/strict/strictify.ts'
import type { ValidationIssue } from '../schema/validate/check.ts'
import { createValidator } from '../schema/validate/validate.ts'

type SchemaCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly violations: readonly ValidationIssue[] }

export interface OutputSchema {
  readonly jsonSchema: JsonSchema
  readonly sentSchema: unknown
  readonly strict: boolean
  undo(output: unknown): unknown
  /** The resulting value is the typed output: transformed by a Standard Schema, or unchanged. */
  check(draft: unknown): SchemaCheck | Promise<SchemaCheck>
  readonly diagnostics: readonly Diagnostic[]
}

export function readOutputSchema(source: unknown, step: string): OutputSchema {
  const label = `Step "${step}": "outputSchema"`
  if (source === undefined || source === null) {
    throw new ToolError(
      'invalid_definition',
      `${label} is missing. Say what the step must give, or use genericOutput() for a single text.`,
    )
  }
  // The model writes the input of the validation, so the input side of the schema is converted.
  const remedy = 'You can give the output schema as JSON Schema.'
  const jsonSchema = toJsonSchema(source, { label, side: 'input', remedy })
  requireObject(jsonSchema, label)
  const { schema: sentSchema, strict, undo, diagnostics } = strictify(jsonSchema, { path: ['outputSchema'] })
  const common = { jsonSchema, sentSchema, strict, undo }
  if (isStandardSchema(source))
    return { ...common, check: value => checkStandard(source, value), diagnostics }
  const validator = createValidator(jsonSchema, { path: ['outputSchema'] })
  const check = (value: unknown): SchemaCheck => {
    const result = validator.validate(value)
    return result.ok ? { ok: true, value } : { ok: false, violations: result.issues }
  }
  return { ...common, check, diagnostics: [...diagnostics, ...validator.diagnostics] }
}

function requireObject({ type }: JsonSchema, label: string): void {
  if (type === undefined || type === 'object') return
  const got = JSON.stringify(type)
  const remedy = 'Put the value into a property of an object.'
  throw new ToolError(
    'parameters_not_object',
    `${label} must describe an object, because a call's arguments are one; its type is ${got}. ${remedy}`,
  )
}

async function checkStandard(schema: StandardSchema, value: unknown): Promise<SchemaCheck> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, violations: result.issues.map(toViolation) }
}

function toViolation(issue: StandardIssue): ValidationIssue {
  const path = pointerOf(issue)
  return { path, keyword: 'schema', message: `${path === '' ? 'the value' : path}: ${issue.message}` }
}

/** The schema of an output that is a single string, in a form that strict mode accepts. */
export interface GenericOutput {
  readonly type: 'object'
  readonly properties: { readonly result: { readonly type: 'string' } }
  readonly required: readonly ['result']
  readonly additionalProperties: false
}

/** Must be requested explicitly, so that a forgotten schema is an error. */
export function genericOutput(): GenericOutput {
  return {
    type: 'object',
    properties: { result: { type: 'string' } },
    required: ['result'],
    additionalProperties: false,
  }
}
