/** Registered tools for OpenAI's two wires. The parameters are the same on both. */

import { compact, isObject, show } from '../json/json.ts'
import { createReport } from '../model/diagnostic.ts'
import type { FunctionTool } from '../model/tool.ts'
import { ToolError } from '../runtime/errors.ts'
import type { Names, ToolRegistry } from '../runtime/tools/registry.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
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
  names: Names | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): RegisteredResponsesTool[] {
  requireRegistry(registry, 'toolSchemasForResponses')
  const { report, diagnostics } = createReport()
  const written = writeResponsesTools(registry.list(names).map(toTool), options, report)
  deliver(diagnostics, options)
  return written as RegisteredResponsesTool[]
}

/** The same for Chat, which has no place for a result's schema. */
export function toolSchemasForOpenAI(
  names: Names | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): OpenAITool[] {
  requireRegistry(registry, 'toolSchemasForOpenAI')
  const { report, diagnostics } = createReport()
  const written = writeChatTools(registry.list(names).map(toTool), options, report)
  deliver(diagnostics, options)
  return written as OpenAITool[]
}

export interface ToolSchemas {
  toolSchemasForResponses(names?: Names): RegisteredResponsesTool[]
  toolSchemasForOpenAI(names?: Names): OpenAITool[]
}

/** Both functions for one registry, to be called with names alone. */
export function createToolSchemas(registry: ToolRegistry, options: ToolSchemaOptions = {}): ToolSchemas {
  requireRegistry(registry, 'createToolSchemas')
  return {
    toolSchemasForResponses: names => toolSchemasForResponses(names, registry, options),
    toolSchemasForOpenAI: names => toolSchemasForOpenAI(names, registry, options),
  }
}

/** By what it can do, since the registry may be another copy's of this library. */
function requireRegistry(value: unknown, caller: string): void {
  if (isObject(value) && typeof value.list === 'function') return
  const message =
    caller === 'createToolSchemas'
      ? `createToolSchemas needs a ToolRegistry; got ${show(value)}.`
      : `${caller} needs the ToolRegistry as its second argument; got ${show(value)}. To call it with names alone, take it from createToolSchemas(registry).`
  throw new ToolError('invalid_definition', message)
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
