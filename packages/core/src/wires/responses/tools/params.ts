/** The fields of a request for tools. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { Tool, ToolParams } from '../../../model/tool.ts'
import { decodeParallel, decodeToolList } from '../../kit/tool-list.ts'
import { responsesResidue } from '../residue.ts'
import { decodeToolChoice, encodeToolChoice } from './tool-choice.ts'
import { decodeTool, encodeTool } from './tools.ts'

/** The keys of a request that are decoded here. */
export const toolKeys = ['tools', 'tool_choice', 'parallel_tool_calls'] as const

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const choice = own(body, 'tool_choice')
  if (choice === null) entries.push([['tool_choice'], null])
  const params: Draft<ToolParams> = {}
  const tools = decodeToolList(body, 'tools', decodeTool, entries, report)
  if (tools !== undefined) params.tools = tools
  const additional = decodeAdditionalTools(body, report)
  if (additional !== undefined) params.additionalTools = additional
  if (choice !== undefined && choice !== null) {
    params.choice = decodeToolChoice(choice, ['tool_choice'], report)
  }
  decodeParallel(body, params, entries)
  if (entries.length > 0) params.residue = { wire: 'responses', at: [], entries }
  return params
}

/** Items that declare tools: Codex puts its tools there, and the result of a tool search declares the tools it found. */
const declaring: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

function decodeAdditionalTools(body: JsonObject, report: Report): Tool[] | undefined {
  const input = own(body, 'input')
  if (!Array.isArray(input)) return undefined
  const found: Tool[] = []
  input.forEach((item: unknown, i) => {
    if (!isObject(item) || !declaring.has(own(item, 'type'))) return
    const tools = own(item, 'tools')
    if (!Array.isArray(tools)) {
      report('not_a_list', ['input', i, 'tools'], '"tools" of an item that declares tools must be a list.')
      return
    }
    tools.forEach((tool, j) => {
      found.push(decodeTool(tool, ['input', i, 'tools', j], report))
    })
  })
  return found.length === 0 ? undefined : found
}

/** The body may hold other fields already. */
export function encodeToolParams(
  params: ToolParams,
  report: Report,
  body: Record<string, unknown> = {},
): JsonObject {
  const { tools, choice, parallel } = params
  if (tools !== undefined) body.tools = tools.map(tool => encodeTool(tool, report))
  if (choice !== undefined) body.tool_choice = encodeToolChoice(choice, report)
  if (parallel !== undefined) body.parallel_tool_calls = parallel
  return responsesResidue.restore(body, params.residue, report)
}
