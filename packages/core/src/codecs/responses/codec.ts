import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { Tool, ToolParams } from '../../model/tool.ts'
import type { Codec } from '../codec.ts'
import { readParallel, readToolList } from '../tool-params.ts'
import { finish } from '../tool-refs.ts'
import { responsesProfile } from './profile.ts'
import { decodeResponsesToolChoice, encodeResponsesToolChoice } from './tool-choice.ts'
import { decodeResponsesTool, encodeResponsesTool } from './tools.ts'

export const responsesCodec: Codec = {
  wire: 'responses',
  profile: responsesProfile,
  never: [],
  decodeTool: decodeResponsesTool,
  encodeTool: encodeResponsesTool,
  decodeToolParams,
  encodeToolParams,
}

function decodeToolParams(body: JsonObject, report: Report): ToolParams {
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

/** Codex declares its tools in the middle of the input, as items of their own. */
function readAdditionalTools(body: JsonObject, report: Report): Tool[] | undefined {
  const input = own(body, 'input')
  if (!Array.isArray(input)) return undefined
  const found: Tool[] = []
  for (const [i, item] of input.entries()) {
    if (!isObject(item) || own(item, 'type') !== 'additional_tools') continue
    const tools = own(item, 'tools')
    if (!Array.isArray(tools)) {
      report(
        'not_a_list',
        ['input', i, 'tools'],
        '"tools" of an additional_tools item must be a list of tools.',
      )
      continue
    }
    for (const [j, tool] of tools.entries())
      found.push(decodeResponsesTool(tool, ['input', i, 'tools', j], report))
  }
  return found.length === 0 ? undefined : found
}

function encodeToolParams(params: ToolParams, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  const { tools, choice, parallel } = params
  if (tools !== undefined) written.tools = tools.map(tool => encodeResponsesTool(tool, report))
  if (choice !== undefined) written.tool_choice = encodeResponsesToolChoice(choice, report)
  if (parallel !== undefined) written.parallel_tool_calls = parallel
  finish(written, params.residue, 'responses', report)
  return written
}
