/** The types of tools here. The functions accept `unknown`; these types describe what you pass and what is returned. */

import type { ToolOptions } from '../convert/shared/options.ts'
import type { KnownOptions } from '../json/known-options.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { JsonSchema } from '../runtime/tools/json-schema.ts'

/** A function in the shape of Chat Completions, which most programs use. */
export interface ToolDefinition {
  type: 'function'
  function: {
    name: string
    description: string
    strict?: boolean
    parameters: JsonSchema
  }
}

/** A tool of a registry like that of Codex: functions, custom tools, and two tools defined by type. */
export type RegistryToolDefinition =
  | ToolDefinition
  | { type: 'local_shell' }
  | { type: 'web_search'; [option: string]: unknown }
  | { type: 'custom'; custom: { name: string; description?: string; format?: CustomToolFormat } }

/** What a free-text tool of OpenAI takes: any text, or that of a grammar. */
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

/** Any tool on the Responses wire, as `createToolsJsonForResponsesApi` returns it. */
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

/** Who is told of what conversions lose or change. */
export interface DiagnosticOptions {
  /** Called once per diagnostic, before the function returns or throws. Nothing is logged otherwise. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

/**
 * Names are not changed, because a plain list has no undo. If arguments or names have to be restored afterwards
 * (`strict: 'strictify'`, names that the server refuses), use `convertTools` and its `undo`.
 */
export interface ToolFormatOptions
  extends DiagnosticOptions,
    Pick<ToolOptions, 'strict' | 'misplacedStrict'> {
  /** Drop and report tools that cannot be sent, or throw for the first one. */
  readonly onInvalid?: 'drop' | 'throw'
  /** Treat a function without a description as one that cannot be sent. */
  readonly requireDescription?: boolean
}

export const formatOptionNames: KnownOptions<ToolFormatOptions> = {
  onDiagnostic: true,
  strict: true,
  misplacedStrict: true,
  onInvalid: true,
  requireDescription: true,
}
