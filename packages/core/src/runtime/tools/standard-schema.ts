/**
 * The parts of Standard Schema (standardschema.dev, version 1.1) that a tool needs, as structural types, so that the
 * published types depend on no schema library.
 */

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** Present if the library can convert the schema to JSON Schema. */
    readonly jsonSchema?: StandardJsonSchema | undefined
  }
}

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One thing that a Standard Schema found wrong. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The path of an issue as a JSON pointer; empty for the root. */
export function pointerOf({ path = [] }: StandardIssue): string {
  const keys = path.map(step => String(typeof step === 'object' ? step.key : step))
  return keys.map(key => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Both functions throw if the schema cannot be converted or the target is not supported. */
interface StandardJsonSchema {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>
  readonly output: (options: { readonly target: string }) => Record<string, unknown>
}

type TypesOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>

/** What the schema accepts. */
export type StandardInput<S extends StandardSchema> = TypesOf<S>['input']

/** What validation returns, after the schema's defaults and transforms. */
export type StandardOutput<S extends StandardSchema> = TypesOf<S>['output']

/** Schemas of some libraries are functions, not objects. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = (value as Partial<StandardSchema>)['~standard']
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof (standard as Partial<StandardSchema['~standard']>).validate === 'function'
  )
}
