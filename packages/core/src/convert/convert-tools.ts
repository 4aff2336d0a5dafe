/** Converts tool definitions, and the request fields that belong to them, between wires. */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { findNonJson } from '../json/non-json.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Diagnostic, Path, Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Tool } from '../model/tool.ts'
import type { ToolFormat, WireTools } from '../wires/define-wire.ts'
import type { ConversionContext } from './adapt/context.ts'
import { createConversionContext } from './adapt/context.ts'
import { adaptTools } from './adapt/request-adaptations.ts'
import type { ToolOptions } from './shared/options.ts'
import { checkToolOptions, toolOptionNames } from './shared/options.ts'
import type { DefinedTool } from './shared/tools.ts'
import { functionOf } from './shared/tools.ts'
import type { CallUndo } from './undo/call-undo.ts'
import { createCallUndo } from './undo/call-undo.ts'

export interface ConvertToolsOptions<W = WireTools, Source = ToolFormat> extends EncodeToolsOptions<W> {
  /** The wire the definitions are written for, or another format that they are read from. */
  readonly from: Source
}

export interface EncodeToolsOptions<W = WireTools> extends ToolOptions {
  /** The wire the tools are to be sent on. */
  readonly to: W
}

/** What a conversion gives: the value, what was lost or changed, and the way back. */
export interface Converted<T> {
  readonly value: T
  readonly diagnostics: Diagnostic[]
  /** Turns calls to the converted tools back into calls to the original ones. */
  readonly undo: CallUndo
}

/**
 * Converts a list of tool definitions. It never throws because of a tool: losses are reported.
 * Schemas are passed on by reference, not copied.
 */
export function convertTools(tools: unknown, options: ConvertToolsOptions): Converted<unknown[]> {
  const { report, diagnostics } = createReport()
  const context = contextOf(options)
  const { from, to } = options
  const opened = Array.isArray(tools) ? { list: tools, path: [] } : from.openList?.(tools, report)
  if (opened === undefined) {
    if (tools !== undefined && tools !== null) report('not_a_list', [], 'Tools must be given as a list.')
    return { value: [], diagnostics, undo: createCallUndo([]) }
  }
  const decoded = decodeList(opened.list, opened.path, from, report)
  return { ...encode(decoded, to, context, report), diagnostics }
}

/** By index, because iteration methods skip holes. What JSON cannot express is left out, with what is wrong. */
function decodeList(list: readonly unknown[], path: Path, from: ToolFormat, report: Report): Tool[] {
  return Array.from(list).flatMap((tool, i) => {
    const problem = findNonJson(tool)
    if (problem === undefined) return [from.decodeTool(tool, [...path, i], report)]
    report('invalid_tool', [...path, i, ...problem.path], `${problem.message} The tool was left out.`)
    return []
  })
}

/** Encodes tools defined with `defineTool`, or the members of a `ToolRegistry`, for a wire. */
export function encodeTools(tools: Iterable<DefinedTool>, options: EncodeToolsOptions): Converted<unknown[]> {
  const { report, diagnostics } = createReport()
  const context = contextOf(options)
  const defined = Array.from(tools, (tool, i) => functionOf(tool, [i]))
  return { ...encode(defined, options.to, context, report), diagnostics }
}

function encode(tools: readonly Tool[], to: WireTools, context: ConversionContext, report: Report) {
  const { tools: adapted = [] } = adaptTools({ tools }, context, report)
  return { value: adapted.map(tool => to.encodeTool(tool, report)), undo: createCallUndo(adapted) }
}

/**
 * Converts the tool part of a request body: the tools wherever the wire declares them, `tool_choice`, and
 * whether calls may be parallel. The rest of the body is neither read nor returned.
 */
export function convertToolParams(body: unknown, options: ConvertToolsOptions): Converted<JsonObject> {
  const { report, diagnostics } = createReport()
  const context = contextOf(options)
  if (!isObject(body)) {
    report('invalid_request', [], 'A request body must be an object.')
    return { value: {}, diagnostics, undo: createCallUndo([]) }
  }
  const problem = findNonJson(body)
  if (problem !== undefined) {
    report('invalid_request', problem.path, problem.message)
    return { value: {}, diagnostics, undo: createCallUndo([]) }
  }
  const { from, to } = options
  const adapted = adaptTools(from.decodeToolParams(body, report), context, report)
  const value = to.encodeToolParams(adapted, report)
  return { value, diagnostics, undo: createCallUndo(adapted.tools ?? []) }
}

const encodingNames: KnownOptions<EncodeToolsOptions> = { ...toolOptionNames, to: true }
const convertingNames: KnownOptions<ConvertToolsOptions> = { ...encodingNames, from: true }

/** Before the wires are looked up, so that a misspelt "to" is not reported as a missing one. */
export function refuseUnknownConverting(options: unknown): void {
  refuseUnknownOptions('Converting tools', options, convertingNames)
}

export function refuseUnknownEncoding(options: unknown): void {
  refuseUnknownOptions('encodeTools', options, encodingNames)
}

/** Throws a `TypeError` for a wrong option. */
function contextOf(options: EncodeToolsOptions & { readonly from?: ToolFormat }): ConversionContext {
  checkToolOptions(options)
  const { from, to } = options
  return createConversionContext(from === undefined ? { to } : { from, to }, options)
}
