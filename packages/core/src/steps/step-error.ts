/** Why a step, or one of its attempts, has no output. Returned in results, never thrown by a run. */
import { errorMessage } from '../runtime/errors.ts'
import type { ValidationIssue } from '../schema/validate/check.ts'

/** Failures that the model can correct with feedback. They are retried. */
type RetryableCode =
  /** The model called a tool that the step does not have. */
  | 'wrong_tool'
  /** The model made more than one call, so it is unclear which one is the output. */
  | 'several_calls'
  /** Text or nothing instead of the required call; with the carrier `format`: no text. */
  | 'no_call'
  | 'invalid_json'
  /** JSON that does not fit the output schema. */
  | 'invalid_output'
  /** Audits found issues that fail the attempt. */
  | 'audit_failed'

/** Failures of the model or its provider. They end the step at once unless `alsoRetry` names them. */
export type TerminalCode =
  /** The model refused, or a filter of its provider stopped it. */
  | 'refused'
  /** The answer ended before the output was complete. The partial output is never parsed. */
  | 'truncated_output'
  /** The request could not be sent, or the answer failed. */
  | 'model_failed'

/** Failures of the program. Repeating the request would not help. */
type ProgramCode =
  /** The prompt could not be built: a function of the step or the flow threw. */
  | 'input_error'
  | 'sanitizer_error'
  /** The output was valid until `sanitizeOutput` changed it. */
  | 'sanitizer_broke_output'
  /** The validation of a Standard Schema threw instead of reporting issues. */
  | 'schema_error'
  /** An audit, `passes` or `failureReason` threw or returned a value of a wrong type. */
  | 'audit_error'
  | 'cancelled'

/** The kinds of failures of steps. */
export type StepErrorCode = RetryableCode | TerminalCode | ProgramCode

interface StepErrorDetails {
  /** What was thrown, if anything. */
  readonly cause?: unknown
  /** Where the output does not fit its schema. */
  readonly violations?: readonly ValidationIssue[]
}

/** Why a step failed. */
export class StepError extends Error {
  override readonly name: string = 'StepError'
  readonly code: StepErrorCode
  readonly step: string
  readonly violations: readonly ValidationIssue[]

  constructor(code: StepErrorCode, step: string, message: string, details: StepErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.step = step
    this.violations = details.violations ?? []
  }
}

/** The thrown value for a message. Anything may be thrown, even an object that cannot be converted to a string. */
export function describeReason(thrown: unknown): string {
  return errorMessage(thrown) ?? 'no reason was given.'
}
