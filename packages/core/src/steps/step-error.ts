/** Why a step, or one attempt of it, gave no output. It is returned in results and never thrown by a run. */
import { thrownMessage } from '../runtime/describe-error.ts'
import type { ValidationIssue } from '../schema/validate/check.ts'

/** Failures that the model can mend when it is told of them. They are retried. */
type MendableCode =
  /** The model called a tool that the step does not have. */
  | 'wrong_tool'
  /** The model called more than once, so that it is unclear which output it means. */
  | 'several_calls'
  /** Text, or nothing, where a call was demanded; with the carrier `format`: no text. */
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
  /** The answer ended before the output was complete. What there is of it is never parsed. */
  | 'truncated_output'
  /** The request could not be sent, or the answer says that it failed. */
  | 'model_failed'

/** Failures of the program around the model. Asking again would not help. */
type ProgramCode =
  /** The step's input could not be made into a prompt: a function of the step or the flow threw. */
  | 'input_error'
  | 'sanitizer_error'
  /** The output fitted the schema until `sanitizeOutput` changed it. */
  | 'sanitizer_broke_output'
  /** The own validation of a Standard Schema threw instead of reporting issues. */
  | 'schema_error'
  /** An audit, `passes` or `failureReason` threw or answered with something else than it should. */
  | 'audit_error'
  | 'cancelled'

export type StepErrorCode = MendableCode | TerminalCode | ProgramCode

interface StepErrorDetails {
  /** What was thrown, where something was. */
  readonly cause?: unknown
  /** Where the output does not fit its schema. */
  readonly violations?: readonly ValidationIssue[]
}

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

/** What was thrown, for a message. Anything may be thrown, also what cannot be made a text. */
export function reasonOf(thrown: unknown): string {
  return thrownMessage(thrown) ?? 'no reason was given.'
}
