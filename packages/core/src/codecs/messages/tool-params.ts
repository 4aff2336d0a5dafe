/** The part of a request that speaks of tools. */
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { ToolParams } from '../../model/tool.ts'
import { readToolList } from '../tool-params.ts'
import { finish } from '../tool-refs.ts'
import { decodeMessagesToolChoice, encodeMessagesToolChoice } from './tool-choice.ts'
import { decodeMessagesTool, encodeMessagesTool } from './tools.ts'

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const choice = own(body, 'tool_choice')
  if (choice === null) entries.push([['tool_choice'], null])
  return compact({
    tools: readToolList(body, 'tools', decodeMessagesTool, entries, report),
    ...(choice === undefined || choice === null
      ? {}
      : decodeMessagesToolChoice(choice, ['tool_choice'], report)),
    residue: entries.length === 0 ? undefined : ({ wire: 'messages', at: [], entries } as const),
  })
}

export function encodeToolParams(params: ToolParams, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  if (params.tools !== undefined) written.tools = params.tools.map(tool => encodeMessagesTool(tool, report))
  const choice = encodeMessagesToolChoice(params, report)
  if (choice !== undefined) written.tool_choice = choice
  finish(written, params.residue, 'messages', report)
  return written
}
