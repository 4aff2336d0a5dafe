/** The result of a step with all its attempts, the issues that audits found, and the events of a run. */
import type { Answer, Usage } from '../model/answer.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { StepError } from './step-error.ts'

/** One try of a step: what the model said, and what was found wrong with it. */
export interface Attempt<Output = unknown> {
  /** From 1. */
  readonly number: number
  /** The output as the model wrote it: the arguments of the call, or the text. */
  readonly raw?: string
  /** The parsed output, without the nulls that only strict mode required. */
  readonly parsed?: unknown
  /** The output as the audits get it: sanitized, validated twice and typed. */
  readonly output?: Output
  readonly issues: readonly FoundIssue[]
  readonly usage?: Usage
  /** Absent if the attempt was accepted. */
  readonly error?: StepError
  /** The complete answer of the model; absent if the request failed. */
  readonly answer?: Answer
}

interface ResultBase<Output> {
  readonly step: string
  readonly attempts: readonly Attempt<Output>[]
  /** The issues of the last attempt; all others are in `attempts`. */
  readonly issues: readonly FoundIssue[]
  /** The sum over all attempts. */
  readonly usage: Usage
  /** What strict mode changed in the schema, and what was lost in requests or answers. */
  readonly diagnostics: readonly Diagnostic[]
}

/** A step that succeeded, with its output. */
export interface StepSuccess<Output> extends ResultBase<Output> {
  readonly ok: true
  readonly output: Output
  readonly error?: undefined
}

/** A step that failed, with all its attempts. */
export interface StepFailure<Output> extends ResultBase<Output> {
  readonly ok: false
  readonly output?: undefined
  readonly error: StepError
}

/** How a step ended. */
export type StepResult<Output = unknown> = StepSuccess<Output> | StepFailure<Output>

/** What happens while a step runs. */
export type StepEvent =
  | { readonly type: 'step-started'; readonly step: string }
  | { readonly type: 'attempt-started'; readonly step: string; readonly attempt: number }
  /** A stream event of the answer. */
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

/** From the least to the most severe. */
export const issueSeverities = ['low', 'medium', 'high', 'critical'] as const

/** How bad an issue is that an audit found. */
export type IssueSeverity = (typeof issueSeverities)[number]

/** A problem that an audit found in an output. */
export interface Issue {
  readonly id?: string | undefined
  readonly severity: IssueSeverity
  /** What is wrong, and where. Sent to the model before the next attempt. */
  readonly description: string
  /** Further facts for the model, such as the values that were found. */
  readonly context?: { readonly [key: string]: unknown } | undefined
  readonly suggestions?: readonly string[] | undefined
  /** The number of the attempt, from 1. Filled in unless the audit sets it. */
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
