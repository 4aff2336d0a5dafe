/**
 * @toolwire/core/steps: structured steps, whose outputs are validated, sanitized and audited, and requested again until
 * they pass.
 */
export { defineStep } from './define-step.ts'
export type { Flow, FlowContext, FlowStepOptions } from './flow.ts'
export { defineFlow } from './flow.ts'
export { type GenericOutput, genericOutput } from './output-schema.ts'
export { type FlowEvent, type FlowResult, type RunFlowOptions, runFlow } from './run-flow.ts'
export { type RunStepOptions, runStep } from './run-step.ts'
export type {
  AnyStep,
  Audit,
  AuditContext,
  Carrier,
  OutputOf,
  PassContext,
  Prompt,
  PromptContext,
  PromptPart,
  Step,
  StepConfig,
} from './step.ts'
export { StepError, type StepErrorCode } from './step-error.ts'
export type {
  Attempt,
  FoundIssue,
  Issue,
  IssueSeverity,
  StepEvent,
  StepFailure,
  StepResult,
  StepSuccess,
} from './step-result.ts'
