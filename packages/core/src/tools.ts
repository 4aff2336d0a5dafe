/** @toolwire/core/tools: conversion of tools between wires that are passed as definitions; see `exchange.ts`. */
import type { Converted } from './convert/convert-tools.ts'
import * as convert from './convert/convert-tools.ts'
import type { DefinedTool } from './convert/shared/tools.ts'
import type { JsonObject } from './json/object.ts'
import { defineTools } from './runtime/tools/define-tool.ts'
import type { AnyDefinition } from './runtime/tools/definition.ts'
import type { ToolFormat } from './wires/define-wire.ts'
import type { ToolsLike } from './wires/facets.ts'
import { toolFormat, toolsFacet } from './wires/facets.ts'

/** `from` also takes a format that is only read, such as `mcp` of this entry point. */
export type ConvertToolsOptions = convert.ConvertToolsOptions<ToolsLike, ToolsLike | ToolFormat>
/** The wire that tools are written for, and how. */
export type EncodeToolsOptions = convert.EncodeToolsOptions<ToolsLike>

/** Converts a list of tool definitions. What cannot be carried is reported, never thrown. */
export function convertTools(tools: unknown, options: ConvertToolsOptions): Converted<unknown[]> {
  return convert.convertTools(tools, facets(options))
}

/** Converts the tool part of a request body; the rest of the body is neither read nor returned. */
export function convertToolParams(body: unknown, options: ConvertToolsOptions): Converted<JsonObject> {
  return convert.convertToolParams(body, facets(options))
}

/** Encodes tools for a wire: whatever `defineTool` takes, or the members of a `ToolRegistry`. */
export function encodeTools(
  tools: Iterable<DefinedTool | AnyDefinition>,
  options: EncodeToolsOptions,
): Converted<unknown[]> {
  convert.refuseUnknownEncoding(options)
  return convert.encodeTools(defineTools(tools), { ...options, to: toolsFacet(options.to, 'to') })
}

function facets(options: ConvertToolsOptions): convert.ConvertToolsOptions {
  convert.refuseUnknownConverting(options)
  return { ...options, from: toolFormat(options.from, 'from'), to: toolsFacet(options.to, 'to') }
}

export type { Converted } from './convert/convert-tools.ts'
export type { DefinedTool } from './convert/shared/tools.ts'
export { chatTools as chat } from './wires/chat/tools/index.ts'
export type { ToolFormat, WireTools } from './wires/define-wire.ts'
export { mcpTools as mcp } from './wires/kit/mcp-tools.ts'
export { messagesTools as messages } from './wires/messages/tools/index.ts'
export { responsesTools as responses } from './wires/responses/tools/index.ts'
