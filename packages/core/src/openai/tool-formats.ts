/** Converts lists of tools for OpenAI's two wires. */

import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import { refuseUnknownOptions } from '../json/known-options.ts'
import { compact } from '../json/object.ts'
import type { Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { isToolSpec } from '../runtime/tools/tool-spec.ts'
import type { ReadOptions } from './read-tools.ts'
import { readTools } from './read-tools.ts'
import { isIterable } from './tool-manager-checks.ts'
import type { ToolManagerOptions } from './tool-manager-types.ts'
import type {
  DiagnosticOptions,
  OpenAITool,
  ResponsesApiTool,
  ResponsesTool,
  ToolDefinition,
  ToolFormatOptions,
} from './types.ts'
import { formatOptionNames } from './types.ts'
import {
  encodeResponsesTools,
  fitResponsesTools,
  undoneSchemas,
  writeChatTools,
  writeResponsesTools,
} from './write-tools.ts'

/**
 * Tools for `/v1/responses`. Functions become flat and always state `strict`; tools that Responses defines by type
 * stay unchanged. Tools that cannot be sent are dropped and reported: functions whose parameters are not a schema
 * and, unless `requireDescription` is false, functions without a description.
 */
export function createToolsJsonForResponsesApi(
  tools: readonly ToolDefinition[],
  options?: ToolFormatOptions,
): ResponsesApiTool[]
export function createToolsJsonForResponsesApi(tools: unknown, options?: ToolFormatOptions): ResponsesTool[]
export function createToolsJsonForResponsesApi(tools: unknown, options: ToolFormatOptions = {}): unknown[] {
  refuseUnknownOptions('createToolsJsonForResponsesApi', options, formatOptionNames)
  const { requireDescription = true } = options
  return formatTools(tools, { requireDescription, requireSchema: true }, options, writeResponsesTools)
}

/**
 * Tools for `/v1/chat/completions`: functions only. `local_shell` and `web_search` become functions that you run; a
 * custom tool becomes a function with one string, `input`. `strict: true` is kept; `false` is Chat's default and is
 * left out.
 */
export function convertToolsToOpenAIFormat(tools: unknown, options: ToolFormatOptions = {}): OpenAITool[] {
  refuseUnknownOptions('convertToolsToOpenAIFormat', options, formatOptionNames)
  const { requireDescription = false } = options
  return formatTools(tools, { requireDescription }, options, writeChatTools) as OpenAITool[]
}

function formatTools(
  tools: unknown,
  rules: ReadOptions,
  options: ToolFormatOptions,
  write: typeof writeChatTools,
): unknown[] {
  return withReport(options, report => {
    const read = readTools(tools, rules, report)
    const written = write(read.tools, options, report)
    if (read.failure !== undefined && options.onInvalid === 'throw') throw read.failure
    return written
  })
}

/** Runs `work` and passes its diagnostics on, also if it throws. */
export function withReport<T>({ onDiagnostic }: DiagnosticOptions, work: (report: Report) => T): T {
  const { report, diagnostics } = createReport()
  try {
    return work(report)
  } finally {
    if (onDiagnostic !== undefined) for (const diagnostic of diagnostics) onDiagnostic(diagnostic)
  }
}

export interface TransformedTools {
  readonly written: ResponsesTool[]
  readonly undo: CallUndo
}

/** Definitions for Responses, from a mixed list or a registry, with the undo for their calls. */
export function transformToolList(
  tools: unknown,
  options: ToolManagerOptions,
  report: Report,
): TransformedTools {
  const { requireDescription = false, misplacedStrict, onInvalid, strict } = options
  const rules = { requireDescription, requireSchema: true, passUnknown: true }
  const read = readTools(toList(tools), rules, report)
  if (read.failure !== undefined && onInvalid === 'throw') throw read.failure
  const mode = strict === true ? 'strictify' : strict === false ? 'preserve' : strict
  const settings = compact({ strict: mode, misplacedStrict })
  const fitted = fitResponsesTools(read.tools, settings, report, undoneSchemas)
  const written = encodeResponsesTools(fitted, report) as ResponsesTool[]
  return { written, undo: createCallUndo(fitted) }
}

function toList(tools: unknown): unknown {
  return isIterable(tools) ? Array.from(tools, toDefinition) : tools
}

/** A tool made by `defineTool` has no type, because it is always a function. */
function toDefinition(tool: unknown): unknown {
  if (!isToolSpec(tool)) return tool
  const { name, description, parameters, outputSchema, strict } = tool
  return compact({ type: 'function', name, description, parameters, output_schema: outputSchema, strict })
}
