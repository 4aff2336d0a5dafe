/** One JSON Schema for OpenAI. */
import { toChatDialect } from '../schema/dialects/dialects.ts'
import { deliver } from './tool-formats.ts'
import type { DiagnosticOptions } from './types.ts'

export interface SchemaDialectOptions extends DiagnosticOptions {
  /**
   * `full`, the default, leaves the schema alone, since OpenAI takes it as it is. `basic` keeps only the
   * keywords that the smallest servers understand, and reports every one that is lost.
   */
  readonly dialect?: 'full' | 'basic'
}

export function convertJsonSchemaToOpenAI<Schema>(
  schema: Schema,
  options?: SchemaDialectOptions & { readonly dialect?: 'full' },
): Schema
export function convertJsonSchemaToOpenAI(schema: unknown, options?: SchemaDialectOptions): unknown
export function convertJsonSchemaToOpenAI(schema: unknown, options: SchemaDialectOptions = {}): unknown {
  if (options.dialect !== 'basic') return schema
  const { schema: basic, diagnostics } = toChatDialect(schema)
  deliver(diagnostics, options)
  return basic
}
