/** Conversion of tools between wires that are given by name. */
import type { Converted } from './convert/convert-tools.ts'
import * as convert from './convert/convert-tools.ts'
import type { DefinedTool } from './convert/shared/tools.ts'
import type { JsonObject } from './json/object.ts'
import { defineTools } from './runtime/tools/define-tool.ts'
import type { AnyDefinition } from './runtime/tools/definition.ts'
import { strictPasses } from './schema/strict/passes.ts'
import type { Wire } from './wires/registry.ts'
import { toolFormatOf, toolsOf } from './wires/registry.ts'

/** `from` also takes `mcp`: the tools as an MCP server lists them. */
export type ConvertToolsOptions = convert.ConvertToolsOptions<Wire, Wire | 'mcp'>
/** The wire that tools are written for, and how. */
export type EncodeToolsOptions = convert.EncodeToolsOptions<Wire>

/**
 * Converts a list of tool definitions. Losses are reported, never thrown.
 *
 * @example
 * ```js
 * import { convertTools } from '@toolwire/core'
 *
 * const tools = [{ type: 'custom', name: 'apply_patch', description: 'Edits files' }]
 * const { value, undo } = convertTools(tools, { from: 'responses', to: 'chat' })
 * const call = { kind: 'function', name: 'apply_patch', arguments: '{"input":"*** Begin Patch"}' }
 * console.log(value, undo.restoreCall(call)) // a call to the custom tool, as it was declared
 * ```
 */
export function convertTools(tools: unknown, options: ConvertToolsOptions): Converted<unknown[]> {
  return convert.convertTools(tools, facets(options))
}

/** Converts the tool part of a request body; the rest of the body is neither read nor returned. */
export function convertToolParams(body: unknown, options: ConvertToolsOptions): Converted<JsonObject> {
  return convert.convertToolParams(body, facets(options))
}

/**
 * Encodes tools for a wire: whatever `defineTool` takes, or the members of a `ToolRegistry`.
 *
 * @example
 * ```js
 * import { defineTool, encodeTools } from '@toolwire/core'
 *
 * const now = defineTool({ name: 'now', description: 'The time', handler: () => new Date().toISOString() })
 * console.log(encodeTools([now], { to: 'messages' }).value)
 * ```
 */
export function encodeTools(
  tools: Iterable<DefinedTool | AnyDefinition>,
  options: EncodeToolsOptions,
): Converted<unknown[]> {
  convert.refuseUnknownEncoding(options)
  return convert.encodeTools(defineTools(tools), { strictPasses, ...options, to: toolsOf(options.to, 'to') })
}

function facets(options: ConvertToolsOptions): convert.ConvertToolsOptions {
  convert.refuseUnknownConverting(options)
  return { strictPasses, ...options, from: toolFormatOf(options.from, 'from'), to: toolsOf(options.to, 'to') }
}
