/**
 * The shape every pass over a JSON Schema shares: what comes out, how to undo its effect on arguments, and
 * what it changed or could not do.
 */
import type { Diagnostic, Path } from '../model/diagnostic.ts'

export interface SchemaPass {
  readonly schema: unknown
  /** Turns arguments written for the new schema into arguments for the old one. */
  readonly undo: (args: unknown) => unknown
  readonly diagnostics: Diagnostic[]
}

export interface PassOptions {
  /** Where the schema stands in the caller's input; put in front of every diagnostic's path. */
  readonly path?: Path
}

/** The undo of passes that do not change which arguments are written. */
export function sameArgs(args: unknown): unknown {
  return args
}
