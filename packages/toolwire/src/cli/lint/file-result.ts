/** What a run of lint has to tell about each file, whatever the format it is told in. */
import type { Position } from '../../terminal/code-frame.ts'
import type { DocumentReport } from './lint-document.ts'
import type { Repair } from './repair.ts'

export interface LintedFile {
  readonly report: DocumentReport
  readonly repairs: readonly Repair[]
}

/** A file that could not be read or written. */
export interface FailedFile {
  readonly name: string
  readonly reason: string
  readonly place?: Position
}

export interface LintRun {
  readonly files: readonly LintedFile[]
  readonly failed: readonly FailedFile[]
  /** The repairs were only worked out and not made. */
  readonly dryRun: boolean
}

/** The code under which a failed file is told. */
export const failureCode = 'unreadable_file'
