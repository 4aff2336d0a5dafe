/** The result that every pass over a JSON Schema returns, and the options that all of them take. */
import type { KnownOptions } from '../json/known-options.ts'
import type { Diagnostic, Path } from '../model/diagnostic.ts'

/** A changed schema, with the undo for arguments and what was lost. */
export interface SchemaPass {
  readonly schema: unknown
  /** Converts arguments that fit the new schema to arguments that fit the old one. */
  readonly undo: (args: unknown) => unknown
  readonly diagnostics: Diagnostic[]
}

/** Where a schema stands, for the paths of diagnostics. */
export interface PassOptions {
  /** The schema's path in the caller's input; every diagnostic's path starts with it. */
  readonly path?: Path
}

export const passOptionNames: KnownOptions<PassOptions> = { path: true }

/** The undo of passes that do not change the arguments. */
export function sameArgs(args: unknown): unknown {
  return args
}
