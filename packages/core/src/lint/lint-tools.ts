/**
 * Finds what a provider would refuse in tool definitions before the provider does. The wire's codec decodes them, and the
 * rules look at the decoded tools, so that every rule applies to every shape that clients write.
 */

import { convertToolParams, convertTools } from '../convert/convert-tools.ts'
import { isObject } from '../json/object.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import { strictPasses } from '../schema/strict/passes.ts'
import { createContext, type LintContext, type LintOptions } from './context.ts'
import { type LintFinding, remedyFor, under } from './finding.ts'
import { reportReading } from './reading.ts'
import { lintRefusals } from './refusals.ts'
import { lintTool } from './tool.ts'
import { lintToolChoice } from './tool-choice.ts'
import { lintNames } from './tool-names.ts'

/** What lint found, in the order of the input. */
export interface LintResult {
  readonly findings: LintFinding[]
}

/**
 * Lints a list of tools. Never throws, whatever `tools` is.
 *
 * @example
 * ```js
 * import { lintTools } from '@toolwire/core/lint'
 *
 * const tools = [{ type: 'function', function: { name: 'get weather', parameters: { type: 'object' } } }]
 * for (const { code, path, message, remedy } of lintTools(tools, { wire: 'chat' }).findings) {
 *   console.log(code, path.join('.'), message, remedy)
 * }
 * ```
 */
export function lintTools(tools: unknown, options: LintOptions): LintResult {
  const context = createContext(tools, options)
  const { report, diagnostics } = createReport()
  const { codec } = context
  const opened = Array.isArray(tools) ? { list: tools, path: [] } : codec.openList?.(tools, report)
  if (opened === undefined) {
    report('not_a_list', [], 'Tools must be given as a list.')
    return finish(context, {}, diagnostics, options)
  }
  const decoded = opened.list.map((tool, i) => codec.decodeTool(tool, [...opened.path, i], report))
  return finish(context, { tools: decoded }, diagnostics, options)
}

/** Lints the tool part of a request body: the tools wherever they are declared, and the choice among them. */
export function lintToolParams(body: unknown, options: LintOptions): LintResult {
  const context = createContext(body, options)
  const { report, diagnostics } = createReport()
  if (!isObject(body)) {
    report('invalid_request', [], 'A request body must be an object.')
    return finish(context, {}, diagnostics, options)
  }
  return finish(context, context.codec.decodeToolParams(body, report), diagnostics, options)
}

function finish(
  context: LintContext,
  params: ToolParams,
  reading: readonly Diagnostic[],
  { base = [] }: LintOptions,
): LintResult {
  const tools: Tool[] = [...(params.tools ?? []), ...(params.additionalTools ?? [])]
  reportReading(reading, tools, context)
  lintCount(tools, context)
  lintNames(tools, context)
  for (const tool of tools) lintTool(tool, context)
  lintToolChoice(tools, params, context)
  lintRefusals(tools, params, context)
  if (context.codec !== context.target) lintLosses(context)
  return { findings: context.findings.map(finding => under(base, finding)) }
}

function lintCount(tools: readonly Tool[], { limits, add }: LintContext): void {
  if (tools.length <= limits.maxTools) return
  const list = tools[0]?.root.slice(0, -1) ?? []
  add(
    'too_many_tools',
    list,
    `The request declares ${tools.length} tools; the limit is ${limits.maxTools}.`,
    'Send fewer tools, or let the model find them through a tool search.',
  )
}

/** What would be lost on the way to another wire. */
function lintLosses({ source, codec, target, findings, add }: LintContext): void {
  const isList = Array.isArray(source) || codec.openList !== undefined
  const convert = isList ? convertTools : convertToolParams
  const { diagnostics } = convert(source, { strictPasses, from: codec, to: target })
  const known = new Set(findings.map(({ code, path }) => key(code, path)))
  for (const { code, severity, path, message } of diagnostics) {
    if (severity === 'info' || known.has(key(code, path))) continue
    add(code, path, message, remedyFor(code))
  }
}

function key(code: string, path: readonly (string | number)[]): string {
  return JSON.stringify([code, path])
}
