/** The shapes the seed names speak of. Functions here accept `unknown`; these types are for what you write and get. */
import type { ToolOptions } from '../convert/shared/options.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { JsonSchema } from '../runtime/tools/json-schema.ts'

/** A function as Chat Completions writes it, and as programs usually keep it. */
export interface ToolDefinition {
  type: 'function'
  function: {
    name: string
    description: string
    strict?: boolean
    parameters: JsonSchema
  }
}

/** What a registry in the manner of Codex holds: functions, free-text tools, and two that are known by type. */
export type RegistryToolDefinition =
  | ToolDefinition
  | { type: 'local_shell' }
  | { type: 'web_search'; [option: string]: unknown }
  | { type: 'custom'; custom: { name: string; description?: string; format?: CustomToolFormat } }

export type CustomToolFormat =
  | { type: 'text' }
  | { type: 'grammar'; syntax: string; definition: string }
  | { type: 'grammar'; grammar: { syntax: string; definition: string } }

/** A function on the Responses wire. */
export interface ResponsesApiTool {
  type: 'function'
  name: string
  description: string
  strict?: boolean
  parameters: JsonSchema
}

/** Any tool on the Responses wire, as `createToolsJsonForResponsesApi` lets it through. */
export interface ResponsesTool {
  type: string
  name?: string
  description?: string
  strict?: boolean
  parameters?: JsonSchema
  [field: string]: unknown
}

/** A function on the Chat wire. */
export interface OpenAITool {
  type: 'function'
  function: {
    name: string
    description?: string
    parameters: JsonSchema
    strict?: boolean
  }
}

export interface DiagnosticOptions {
  /** Stands where other libraries log. Called once per diagnostic, before the function returns or throws. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

/**
 * Names go out as given, since an array cannot carry the way back. Where arguments or names must be turned
 * back afterwards (`strict: 'strictify'`, names the server refuses), use `convertTools` and its `undo`.
 */
export interface ToolFormatOptions
  extends DiagnosticOptions,
    Pick<ToolOptions, 'strict' | 'misplacedStrict'> {
  /** A tool that cannot be sent is left out and reported, or the first such tool is thrown. */
  readonly onInvalid?: 'drop' | 'throw'
  /** Whether a function without a description counts as one that cannot be sent. */
  readonly requireDescription?: boolean
}
