/** The tools of a request, the choice among them, and the deprecated fields for both. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { Tool, ToolParams } from '../../../model/tool.ts'
import { decodeParallel, decodeToolList } from '../../kit/tool-list.ts'
import { chatResidue } from '../residue.ts'
import {
  decodeFunctionCall,
  decodeLegacyFunction,
  encodeFunctionCall,
  encodeLegacyFunction,
} from './legacy-functions.ts'
import { decodeToolChoice, encodeToolChoice } from './tool-choice.ts'
import { decodeTool, encodeTool } from './tools.ts'
import { decodeWebSearch, isWebSearch, searchKey } from './web-search.ts'

/** The keys of a request that are decoded here. */
export const toolKeys = [
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'web_search_options',
] as const

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const tools = decodeToolList(body, 'tools', decodeTool, entries, report)
  const legacy = decodeToolList(body, 'functions', decodeLegacyFunction, entries, report)
  const functions = legacy?.length === 0 ? undefined : legacy
  if (functions !== undefined) {
    report('legacy_functions', ['functions'], '"functions" is deprecated; its members were read as tools.')
  }
  const params: Draft<ToolParams> = {}
  const defaults: ResidueEntry[] = []
  const search = decodeSearch(body, entries)
  const lists = [tools, functions, search].filter(list => list !== undefined)
  if (lists.length > 0) params.tools = lists.length === 1 ? (lists[0] ?? []) : lists.flat()
  // An empty list of the deprecated field says nothing; beside other tools, that of the current one does not either.
  if (legacy?.length === 0) defaults.push([['functions'], []])
  if (tools?.length === 0 && (functions ?? search) !== undefined) defaults.push([['tools'], []])
  const choice = decodeChoice(body, entries, defaults, report)
  if (choice !== undefined) params.choice = choice
  decodeParallel(body, params, entries)
  if (entries.length + defaults.length > 0) params.residue = chatResidue.create([], entries, defaults)
  return params
}

function decodeSearch(body: JsonObject, entries: ResidueEntry[]): readonly Tool[] | undefined {
  const search = decodeWebSearch(body)
  if (search !== undefined) return [search]
  const given = own(body, searchKey)
  if (given !== undefined) entries.push([[searchKey], given])
  return undefined
}

function decodeChoice(
  body: JsonObject,
  entries: ResidueEntry[],
  defaults: ResidueEntry[],
  report: Report,
): ToolParams['choice'] {
  const current = own(body, 'tool_choice')
  const legacy = own(body, 'function_call')
  if (current === undefined || current === null) {
    if (current === null) entries.push([['tool_choice'], null])
    const isNone = legacy === null || (isObject(legacy) && own(legacy, 'name') === '')
    if (isNone) defaults.push([['function_call'], legacy])
    return legacy === undefined || isNone ? undefined : decodeFunctionCall(legacy, ['function_call'], report)
  }
  if (legacy !== undefined) entries.push([['function_call'], legacy])
  return decodeToolChoice(current, ['tool_choice'], report)
}

/** The body may hold other fields already. */
export function encodeToolParams(
  params: ToolParams,
  report: Report,
  body: Record<string, unknown> = {},
): JsonObject {
  const { tools, choice, parallel } = params
  if (tools !== undefined) encodeTools(tools, body, report)
  if (choice !== undefined) {
    if (choice.legacy) body.function_call = encodeFunctionCall(choice, report)
    else body.tool_choice = encodeToolChoice(choice, report)
  }
  if (parallel !== undefined) body.parallel_tool_calls = parallel
  return chatResidue.restore(body, params.residue, report)
}

function encodeTools(tools: readonly Tool[], written: Record<string, unknown>, report: Report): void {
  const functions = tools.filter(isLegacy)
  const search = tools.find(isWebSearch)
  const current =
    functions.length === 0 && search === undefined
      ? tools
      : tools.filter(tool => !isLegacy(tool) && !isWebSearch(tool))
  if (functions.length > 0) written.functions = functions.map(tool => encodeLegacyFunction(tool, report))
  if (current.length > 0 || (functions.length === 0 && search === undefined)) {
    written.tools = current.map(tool => encodeTool(tool, report))
  }
  if (search !== undefined) written[searchKey] = search.definition
}

/** Only tools read from Chat are marked as legacy. */
function isLegacy(tool: Tool): boolean {
  return tool.kind === 'function' && tool.legacy === true
}
