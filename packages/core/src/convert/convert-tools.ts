/** Converts tool definitions, and the request fields that belong to them, between wires. */

import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Tool } from '../model/tool.ts'
import type { WireTools } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
import { permissiveProfile, programProfile } from '../wires/profile.ts'
import type { AdaptContext } from './adapt/context.ts'
import { adaptToolParams } from './adapt/tools/adapt-tools.ts'
import type { ToolOptions } from './shared/options.ts'
import { checkToolOptions, mergeProfile } from './shared/options.ts'
import type { DefinedTool } from './shared/tools.ts'
import { functionOf } from './shared/tools.ts'
import type { CallUndo } from './undo/call-undo.ts'
import { createCallUndo } from './undo/call-undo.ts'

export interface ConvertToolsOptions extends ToolOptions {
  /** The wire the definitions are written for. */
  readonly from: WireTools
  /** The wire they are to be sent on. */
  readonly to: WireTools
}

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
  const context = adaptContext(options, report)
  if (!Array.isArray(tools)) {
    if (tools !== undefined && tools !== null) report('not_a_list', [], 'Tools must be given as a list.')
    return { value: [], diagnostics, undo: createCallUndo([]) }
  }
  const { from, to } = options
  return write(
    tools.map((tool, i) => from.decodeTool(tool, [i], report)),
    to,
    context,
    diagnostics,
  )
}

export interface EncodeToolsOptions extends ToolOptions {
  /** The wire the tools are to be sent on. */
  readonly to: WireTools
}

/** Encodes tools defined with `defineTool`, or the members of a `ToolRegistry`, for a wire. */
export function encodeTools(tools: Iterable<DefinedTool>, options: EncodeToolsOptions): Converted<unknown[]> {
  const { report, diagnostics } = createReport()
  checkToolOptions(options)
  const { to: target } = options
  const profile = mergeProfile(target.profile, target, options.profile)
  const context = { target: target.wire, profile, source: programProfile, options, report, sameWire: false }
  const model = Array.from(tools, (tool, i) => functionOf(tool, [i]))
  return write(model, options.to, context, diagnostics)
}

function write(
  tools: readonly Tool[],
  target: WireTools,
  context: AdaptContext,
  diagnostics: Diagnostic[],
): Converted<unknown[]> {
  const { tools: adapted = [] } = adaptToolParams({ tools }, context)
  const value = adapted.map(tool => target.encodeTool(tool, context.report))
  return { value, diagnostics, undo: createCallUndo(adapted) }
}

/**
 * Converts the tool part of a request body: the tools wherever the wire declares them, `tool_choice`, and
 * whether calls may be parallel. The rest of the body is neither read nor returned.
 */
export function convertToolParams(body: unknown, options: ConvertToolsOptions): Converted<JsonObject> {
  const { report, diagnostics } = createReport()
  const context = adaptContext(options, report)
  if (!isObject(body)) {
    report('invalid_request', [], 'A request body must be an object.')
    return { value: {}, diagnostics, undo: createCallUndo([]) }
  }
  const adapted = adaptToolParams(options.from.decodeToolParams(body, report), context)
  const value = options.to.encodeToolParams(adapted, report)
  return { value, diagnostics, undo: createCallUndo(adapted.tools ?? []) }
}

function adaptContext(options: ConvertToolsOptions, report: Report): AdaptContext {
  return { report, ...createAdaptContext(options) }
}

/** The context for adapting from one wire to another. Throws a `TypeError` for a wrong option. */
export function createAdaptContext(options: ConvertToolsOptions): Omit<AdaptContext, 'report'> {
  checkToolOptions(options)
  const { from: source, to: target } = options
  const sameWire = source === target
  const own = sameWire ? sameWireProfile(target.profile) : target.profile
  const profile = mergeProfile(own, target, options.profile)
  return { target: target.wire, profile, source: source.profile, options, sameWire }
}

/** If both wires are the same, nothing is adapted unless the caller's profile requires it. */
function sameWireProfile({ strictRules }: Profile): Profile {
  if (strictRules === permissiveProfile.strictRules) return permissiveProfile
  return { ...permissiveProfile, strictRules }
}
