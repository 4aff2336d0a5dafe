/** What a run of a step leaves behind: every attempt, and what is told while it runs. */
import type { Answer, Usage } from '../model/answer.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
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

/** What an audit finds wrong with an output, and which findings are bad enough to ask again. */

/** From the mildest to the worst. */
export const issueSeverities = ['low', 'medium', 'high', 'critical'] as const

export type IssueSeverity = (typeof issueSeverities)[number]

export interface Issue {
  readonly id?: string | undefined
  readonly severity: IssueSeverity
  /** Read by the model when it is asked again: what is wrong, and where. */
  readonly description: string
  /** Facts for the model beside the description, such as the values that were found. */
  readonly context?: { readonly [key: string]: unknown } | undefined
  readonly suggestions?: readonly string[] | undefined
  /** The attempt it was found in, from 1. Filled in unless the audit states it. */
  readonly round?: number | undefined
}

/** An issue with the audit that found it and the attempt it was found in. */
export interface FoundIssue extends Issue {
  readonly audit: string
  readonly round: number
}

export function isIssueSeverity(value: unknown): value is IssueSeverity {
  return issueSeverities.some(severity => severity === value)
}

export function isAtLeast(severity: IssueSeverity, limit: IssueSeverity): boolean {
  return issueSeverities.indexOf(severity) >= issueSeverities.indexOf(limit)
}
