/** Registered tools for OpenAI's two wires. The parameters are the same on both. */

import { functionOf } from '../convert/shared/tools.ts'
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { ToolError } from '../runtime/errors.ts'
import type { Names, ToolRegistry } from '../runtime/tools/registry.ts'
import { withReport } from './tool-formats.ts'
import type { OpenAITool, ResponsesApiTool, ToolFormatOptions } from './types.ts'
import { registeredSchemas, writeChatTools, writeResponsesTools } from './write-tools.ts'

/** Whether schemas are strict, and who is told of diagnostics. */
export type ToolSchemaOptions = Pick<ToolFormatOptions, 'onDiagnostic' | 'strict'>

const known: KnownOptions<ToolSchemaOptions> = { onDiagnostic: true, strict: true }

/** A registered tool needs no description, and may have a schema for its result. */
export type RegisteredResponsesTool = Omit<ResponsesApiTool, 'description'> & {
  description?: string
  output_schema?: ResponsesApiTool['parameters']
}

/** The named tools in the given order, or all of them. Throws for a name that is not registered. */
export function toolSchemasForResponses(
  names: Names | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): RegisteredResponsesTool[] {
  requireRegistry(registry, 'toolSchemasForResponses')
  refuseUnknownOptions('toolSchemasForResponses', options, known)
  return writeRegistered(names, registry, options, writeResponsesTools) as RegisteredResponsesTool[]
}

/** The same for Chat, which has no field for a result's schema. */
export function toolSchemasForOpenAI(
  names: Names | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions = {},
): OpenAITool[] {
  requireRegistry(registry, 'toolSchemasForOpenAI')
  refuseUnknownOptions('toolSchemasForOpenAI', options, known)
  return writeRegistered(names, registry, options, writeChatTools) as OpenAITool[]
}

function writeRegistered(
  names: Names | undefined,
  registry: ToolRegistry,
  options: ToolSchemaOptions,
  write: typeof writeChatTools,
): unknown[] {
  const tools = registry.list(names).map((tool, i) => functionOf(tool, [i]))
  return withReport(options, report => write(tools, options, report, registeredSchemas))
}

/** The definitions of registered tools, for each of OpenAI's wires. */
export interface ToolSchemas {
  toolSchemasForResponses(names?: Names): RegisteredResponsesTool[]
  toolSchemasForOpenAI(names?: Names): OpenAITool[]
}

/** Both functions bound to one registry. */
export function createToolSchemas(registry: ToolRegistry, options: ToolSchemaOptions = {}): ToolSchemas {
  requireRegistry(registry, 'createToolSchemas')
  refuseUnknownOptions('createToolSchemas', options, known)
  return {
    toolSchemasForResponses: names => toolSchemasForResponses(names, registry, options),
    toolSchemasForOpenAI: names => toolSchemasForOpenAI(names, registry, options),
  }
}

/** Checked by its methods, because the registry may come from another copy of this library. */
function requireRegistry(value: unknown, caller: string): void {
  if (isObject(value) && typeof value.list === 'function') return
  const message =
    caller === 'createToolSchemas'
      ? `createToolSchemas needs a ToolRegistry; got ${show(value)}.`
      : `${caller} needs the ToolRegistry as its second argument; got ${show(value)}. To call it with names alone, take it from createToolSchemas(registry).`
  throw new ToolError('invalid_definition', message)
}
