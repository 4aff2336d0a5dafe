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
