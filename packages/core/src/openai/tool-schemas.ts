/** Registered tools for OpenAI's two wires. The parameters are the same on both. */
import { createReport } from '../model/diagnostic.ts'
import { compact } from '../model/json.ts'
import type { FunctionTool } from '../model/tool.ts'
import type { ToolRegistry } from '../runtime/registry.ts'
import type { ToolSpec } from '../runtime/tool-spec.ts'
import { deliver } from './tool-formats.ts'
import type { OpenAITool, ResponsesApiTool, ToolFormatOptions } from './types.ts'
import { writeChatTools, writeResponsesTools } from './write-tools.ts'

export type ToolSchemaOptions = Pick<ToolFormatOptions, 'onDiagnostic' | 'strict'>

/** A registered tool needs no description, and may say what it returns. */
export type RegisteredResponsesTool = Omit<ResponsesApiTool, 'description'> & {
  description?: string
  output_schema?: ResponsesApiTool['parameters']
}

/** The named tools, in that order, or all of them. Throws for a name nobody registered. */
export function toolSchemasForResponses(
  names: Iterable<string> | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): RegisteredResponsesTool[] {
  const { report, diagnostics } = createReport()
  const written = writeResponsesTools(registry.list(names).map(toTool), options, report)
  deliver(diagnostics, options)
  return written as RegisteredResponsesTool[]
}

/** The same for Chat, which has no place for a result's schema. */
export function toolSchemasForOpenAI(
  names: Iterable<string> | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): OpenAITool[] {
  const { report, diagnostics } = createReport()
  const written = writeChatTools(registry.list(names).map(toTool), options, report)
  deliver(diagnostics, options)
  return written as OpenAITool[]
}

export interface ToolSchemas {
  toolSchemasForResponses(names?: Iterable<string>): RegisteredResponsesTool[]
  toolSchemasForOpenAI(names?: Iterable<string>): OpenAITool[]
}

/** Both functions for one registry, to be called with names alone. */
export function createToolSchemas(registry: ToolRegistry, options: ToolSchemaOptions = {}): ToolSchemas {
  return {
    toolSchemasForResponses: names => toolSchemasForResponses(names, registry, options),
    toolSchemasForOpenAI: names => toolSchemasForOpenAI(names, registry, options),
  }
}

function toTool(spec: ToolSpec, index: number): FunctionTool {
  const { name, description, parameters, outputSchema, strict } = spec
  return {
    kind: 'function',
    root: [index],
    path: [index],
    name,
    parameters,
    parametersPath: [index, 'parameters'],
    ...compact({ description, outputSchema, strict }),
  }
}
