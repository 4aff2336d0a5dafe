/** Tool definitions, and the request fields that go with them, from any wire to any wire. */
import { codecs } from '../codecs/index.ts'
import { permissiveProfile } from '../codecs/profile.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { ToolParams } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import { adaptToolParams } from './adapt/adapt-tools.ts'
import type { CallUndo } from './call-undo.ts'
import { createCallUndo } from './call-undo.ts'
import type { ToolOptions } from './options.ts'

export interface ConvertToolsOptions extends ToolOptions {
  /** The wire the definitions are written for. */
  readonly from: Wire
  /** The wire they are to be sent on. */
  readonly to: Wire
}

export interface Converted<T> {
  readonly value: T
  readonly diagnostics: Diagnostic[]
  /** Turns calls to the converted tools back into calls to the given ones. */
  readonly undo: CallUndo
}

/** Converts a list of tool definitions. Never throws for any `tools`: what cannot be carried is reported. */
export function convertTools(tools: unknown, options: ConvertToolsOptions): Converted<unknown[]> {
  const { report, diagnostics } = createReport()
  const source = codecOf(options.from, 'from')
  if (!Array.isArray(tools)) {
    if (tools !== undefined && tools !== null) report('not_a_list', [], 'Tools must be given as a list.')
    return { value: [], diagnostics, undo: createCallUndo([]) }
  }
  const decoded = tools.map((tool, i) => source.decodeTool(tool, [i], report))
  const { tools: adapted = [] } = adapt({ tools: decoded }, options, report)
  const target = codecOf(options.to, 'to')
  const value = adapted.map(tool => target.encodeTool(tool, report))
  return { value, diagnostics, undo: createCallUndo(adapted) }
}

/**
 * Converts the tool part of a request body: the tools wherever the wire declares them, `tool_choice`, and
 * whether calls may be parallel. The rest of the body is neither read nor returned.
 */
export function convertToolParams(body: unknown, options: ConvertToolsOptions): Converted<JsonObject> {
  const { report, diagnostics } = createReport()
  const source = codecOf(options.from, 'from')
  const target = codecOf(options.to, 'to')
  if (!isObject(body)) {
    report('invalid_request', [], 'A request body must be an object.')
    return { value: {}, diagnostics, undo: createCallUndo([]) }
  }
  const adapted = adapt(source.decodeToolParams(body, report), options, report)
  return {
    value: target.encodeToolParams(adapted, report),
    diagnostics,
    undo: createCallUndo(adapted.tools ?? []),
  }
}

function adapt(params: ToolParams, options: ConvertToolsOptions, report: Report): ToolParams {
  const sameWire = options.from === options.to
  const profile = { ...(sameWire ? permissiveProfile : codecs[options.to].profile), ...options.profile }
  return adaptToolParams(params, { profile, options, report, sameWire })
}

function codecOf(wire: Wire, option: string): (typeof codecs)[Wire] {
  if (typeof wire === 'string' && Object.hasOwn(codecs, wire)) return codecs[wire]
  const given = JSON.stringify(wire) ?? 'nothing'
  throw new TypeError(`"${option}" must be one of ${Object.keys(codecs).join(', ')}; got ${given}.`)
}
