/** Converts one JSON Schema for OpenAI. */
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { toChatDialect } from '../schema/dialects/dialects.ts'
import type { DiagnosticOptions } from './types.ts'

/** Which dialect of OpenAI a schema is written for. */
export interface SchemaDialectOptions extends DiagnosticOptions {
  /**
   * `full`, the default, leaves the schema unchanged, since OpenAI accepts it. `basic` keeps only the keywords
   * that the simplest servers understand, and reports every lost one.
   */
  readonly dialect?: 'full' | 'basic'
}

const known: KnownOptions<SchemaDialectOptions> = { onDiagnostic: true, dialect: true }

/** Writes a JSON Schema as OpenAI's functions take it. */
export function convertJsonSchemaToOpenAI<Schema>(
  schema: Schema,
  options?: SchemaDialectOptions & { readonly dialect?: 'full' },
): Schema
export function convertJsonSchemaToOpenAI(schema: unknown, options?: SchemaDialectOptions): unknown
export function convertJsonSchemaToOpenAI(schema: unknown, options: SchemaDialectOptions = {}): unknown {
  refuseUnknownOptions('convertJsonSchemaToOpenAI', options, known)
  if (options.dialect !== 'basic') return schema
  const { schema: basic, diagnostics } = toChatDialect(schema)
  for (const diagnostic of diagnostics) options.onDiagnostic?.(diagnostic)
  return basic
}
