/**
 * An output schema in the three forms a step needs: as it was given, as the model is sent it, and as a check.
 * Strict mode is used wherever the schema has a strict form; what that form adds is taken out of the output.
 */
import type { Diagnostic } from '../model/diagnostic.ts'
import type { JsonSchema } from '../runtime/tools/json-schema.ts'
import { toJsonSchema } from '../runtime/tools/json-schema.ts'
import type { StandardIssue, StandardSchema } from '../runtime/tools/standard-schema.ts'
import { isStandardSchema, pointerOf } from '../runtime/tools/standard-schema.ts'
import { ToolError } from '../runtime/tools/tool-error.ts'
import { strictify } from '../schema/strict/strictify.ts'
import type { ValidationIssue } from '../schema/validate/check.ts'
import { createValidator } from '../schema/validate/validate.ts'

type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly violations: readonly ValidationIssue[] }

export interface OutputSchema {
  readonly given: JsonSchema
  readonly sent: unknown
  readonly strict: boolean
  undo(output: unknown): unknown
  /** The value is the typed output: what a Standard Schema makes of it, or the same. */
  check(draft: unknown): Checked | Promise<Checked>
  readonly diagnostics: readonly Diagnostic[]
}

export function readOutputSchema(source: unknown, step: string): OutputSchema {
  const place = `Step "${step}": "outputSchema"`
  if (source === undefined || source === null) {
    throw new ToolError(
      'invalid_definition',
      `${place} is missing. Say what the step must give, or use genericOutput() for a single text.`,
    )
  }
  // The model writes what validation takes in, hence the schema's input side.
  const remedy = 'You can give the output schema as JSON Schema.'
  const given = toJsonSchema(source, { place, side: 'input', remedy })
  demandObject(given, place)
  const { schema, strict, undo, diagnostics } = strictify(given, { path: ['outputSchema'] })
  if (isStandardSchema(source)) {
    return { given, sent: schema, strict, undo, diagnostics, check: value => checkStandard(source, value) }
  }
  const validator = createValidator(given, { path: ['outputSchema'] })
  const check = (value: unknown): Checked => {
    const result = validator.validate(value)
    return result.ok ? { ok: true, value } : { ok: false, violations: result.issues }
  }
  return { given, sent: schema, strict, undo, check, diagnostics: [...diagnostics, ...validator.diagnostics] }
}

function demandObject({ type }: JsonSchema, place: string): void {
  if (type === undefined || type === 'object') return
  const got = JSON.stringify(type)
  const remedy = 'Put the value into a property of an object.'
  throw new ToolError(
    'parameters_not_object',
    `${place} must describe an object, because a call's arguments are one; its type is ${got}. ${remedy}`,
  )
}

async function checkStandard(schema: StandardSchema, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, violations: result.issues.map(toViolation) }
}

function toViolation(issue: StandardIssue): ValidationIssue {
  const path = pointerOf(issue)
  return { path, keyword: 'schema', message: `${path === '' ? 'the value' : path}: ${issue.message}` }
}
