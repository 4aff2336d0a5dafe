/** The fields of a request for tools. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { ToolParams } from '../../../model/tool.ts'
import { decodeToolList } from '../../kit/tool-list.ts'
import { messagesResidue } from '../residue.ts'
import { decodeToolChanges } from './tool-changes.ts'
import { decodeToolChoice, encodeToolChoice } from './tool-choice.ts'
import { decodeTool, encodeTool } from './tools.ts'

/** The keys of a request that are decoded here. */
export const toolKeys = ['tools', 'tool_choice'] as const

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const choice = own(body, 'tool_choice')
  if (choice === null) entries.push([['tool_choice'], null])
  const params: Draft<ToolParams> = {}
  const tools = decodeToolList(body, 'tools', decodeTool, entries, report)
  if (tools !== undefined) params.tools = tools
  Object.assign(params, decodeToolChanges(own(body, 'messages'), report))
  if (choice !== undefined && choice !== null) {
    Object.assign(params, decodeToolChoice(choice, ['tool_choice'], report))
  }
  if (entries.length > 0) params.residue = { wire: 'messages', at: [], entries }
  return params
}

/** The body may hold other fields already. */
export function encodeToolParams(
  params: ToolParams,
  report: Report,
  body: Record<string, unknown> = {},
): JsonObject {
  if (params.tools !== undefined) body.tools = params.tools.map(tool => encodeTool(tool, report))
  const choice = encodeToolChoice(params, report)
  if (choice !== undefined) body.tool_choice = choice
  return messagesResidue.restore(body, params.residue, report)
}
