/** What a run of a step leaves behind: every attempt, and what is told while it runs. */
import type { Answer, Usage } from '../model/answer.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { FoundIssue } from './issue.ts'
import type { StepError } from './step-error.ts'

export interface Attempt<Output = unknown> {
  /** From 1. */
  readonly number: number
  /** The output as the model wrote it: the call's arguments, or the text. Absent when there was none. */
  readonly raw?: string
  /** The same as a value, without the nulls that only strict mode asked for. */
  readonly parsed?: unknown
  /** What the audits saw: sanitised, checked twice and typed. */
  readonly output?: Output
  readonly issues: readonly FoundIssue[]
  readonly usage?: Usage
  /** Absent when the attempt was accepted. */
  readonly error?: StepError
  /** Everything the model said, unless it could not be asked. */
  readonly answer?: Answer
}

interface ResultBase<Output> {
  readonly step: string
  readonly attempts: readonly Attempt<Output>[]
  /** Those of the last attempt; all others are in `attempts`. */
  readonly issues: readonly FoundIssue[]
  /** The sum over all attempts. */
  readonly usage: Usage
  /** What strict mode changed in the schema, and what could not be carried to the model or back. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface StepSuccess<Output> extends ResultBase<Output> {
  readonly ok: true
  readonly output: Output
  readonly error?: undefined
}

export interface StepFailure<Output> extends ResultBase<Output> {
  readonly ok: false
  readonly output?: undefined
  readonly error: StepError
}

export type StepResult<Output = unknown> = StepSuccess<Output> | StepFailure<Output>

export type StepEvent =
  | { readonly type: 'step-started'; readonly step: string }
  | { readonly type: 'attempt-started'; readonly step: string; readonly attempt: number }
  /** The model is speaking. */
  | {
      readonly type: 'answer'
      readonly step: string
      readonly attempt: number
      readonly event: StreamEvent
    }
  | {
      readonly type: 'audit-failed'
      readonly step: string
      readonly attempt: number
      readonly issues: readonly FoundIssue[]
    }
  /** `attempt` failed with `error` and will be followed by another. */
  | { readonly type: 'retry'; readonly step: string; readonly attempt: number; readonly error: StepError }
  | { readonly type: 'step-finished'; readonly step: string; readonly result: StepResult }
