/** The part of a request that speaks of tools. */
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { Tool, ToolParams } from '../../model/tool.ts'
import { readParallel, readToolList } from '../tool-params.ts'
import { finish } from '../tool-refs.ts'
import { decodeResponsesToolChoice, encodeResponsesToolChoice } from './tool-choice.ts'
import { decodeResponsesTool, encodeResponsesTool } from './tools.ts'

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const choice = own(body, 'tool_choice')
  if (choice === null) entries.push([['tool_choice'], null])
  return compact({
    tools: readToolList(body, 'tools', decodeResponsesTool, entries, report),
    additionalTools: readAdditionalTools(body, report),
    choice:
      choice === undefined || choice === null
        ? undefined
        : decodeResponsesToolChoice(choice, ['tool_choice'], report),
    ...readParallel(body, entries),
    residue: entries.length === 0 ? undefined : ({ wire: 'responses', at: [], entries } as const),
  })
}

/** Items that declare tools: Codex puts its tools there, and a tool search answers with tools that can be called next. */
const declaring: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

function readAdditionalTools(body: JsonObject, report: Report): Tool[] | undefined {
  const input = own(body, 'input')
  if (!Array.isArray(input)) return undefined
  const found: Tool[] = []
  for (const [i, item] of input.entries()) {
    if (!isObject(item) || !declaring.has(own(item, 'type'))) continue
    const tools = own(item, 'tools')
    if (!Array.isArray(tools)) {
      report('not_a_list', ['input', i, 'tools'], '"tools" of an item that declares tools must be a list.')
      continue
    }
    for (const [j, tool] of tools.entries())
      found.push(decodeResponsesTool(tool, ['input', i, 'tools', j], report))
  }
  return found.length === 0 ? undefined : found
}

export function encodeToolParams(params: ToolParams, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  const { tools, choice, parallel } = params
  if (tools !== undefined) written.tools = tools.map(tool => encodeResponsesTool(tool, report))
  if (choice !== undefined) written.tool_choice = encodeResponsesToolChoice(choice, report)
  if (parallel !== undefined) written.parallel_tool_calls = parallel
  finish(written, params.residue, 'responses', report)
  return written
}
