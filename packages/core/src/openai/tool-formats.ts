/** Lists of tools for OpenAI's two wires, under the names of the documents this library began with. */
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { readTools } from './read-tools.ts'
import type {
  DiagnosticOptions,
  OpenAITool,
  ResponsesApiTool,
  ResponsesTool,
  ToolDefinition,
  ToolFormatOptions,
} from './types.ts'
import { writeChatTools, writeResponsesTools } from './write-tools.ts'

/**
 * Tools as `/v1/responses` wants them. Functions become flat and always state `strict`; tools that Responses
 * defines by type pass verbatim; what cannot be sent is left out and reported, and so is a function whose
 * parameters are no schema or, unless `requireDescription` is false, one without a description.
 */
export function createToolsJsonForResponsesApi(
  tools: readonly ToolDefinition[],
  options?: ToolFormatOptions,
): ResponsesApiTool[]
export function createToolsJsonForResponsesApi(tools: unknown, options?: ToolFormatOptions): ResponsesTool[]
export function createToolsJsonForResponsesApi(tools: unknown, options: ToolFormatOptions = {}): unknown[] {
  const { report, diagnostics } = createReport()
  const { requireDescription = true } = options
  const read = readTools(tools, { requireDescription, requireSchema: true }, report)
  const written = writeResponsesTools(read.tools, options, report)
  deliver(diagnostics, options)
  if (read.failure !== undefined && options.onInvalid === 'throw') throw read.failure
  return written
}

/**
 * Tools as `/v1/chat/completions` wants them: functions only. `local_shell` and `web_search` become functions
 * that you run; a custom tool becomes a function with one string, `input`. `strict: true` is kept; `false` is
 * what Chat assumes anyway and is left out.
 */
export function convertToolsToOpenAIFormat(tools: unknown, options: ToolFormatOptions = {}): OpenAITool[] {
  const { report, diagnostics } = createReport()
  const read = readTools(tools, { requireDescription: options.requireDescription ?? false }, report)
  const written = writeChatTools(read.tools, options, report)
  deliver(diagnostics, options)
  if (read.failure !== undefined && options.onInvalid === 'throw') throw read.failure
  return written as OpenAITool[]
}

export function deliver(diagnostics: readonly Diagnostic[], { onDiagnostic }: DiagnosticOptions): void {
  if (onDiagnostic !== undefined) for (const diagnostic of diagnostics) onDiagnostic(diagnostic)
}
