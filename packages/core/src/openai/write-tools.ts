/** Fits tools to one of OpenAI's wires and writes them, with the options all the functions here share. */

import { adaptToolParams } from '../convert/adapt/adapt-tools.ts'
import { show } from '../json/json.ts'
import type { Report } from '../model/diagnostic.ts'
import type { FunctionTool, Tool, ToolParams } from '../model/tool.ts'
import { strictPasses } from '../schema/strict/passes.ts'
import type { Profile } from '../wires/profile.ts'
import { builtInTools } from '../wires/registry.ts'
import type { ToolFormatOptions } from './types.ts'

/** Names stay as they are, and every function says its parameters. */
const unchangedNames: Partial<Profile> = {
  nameCharacters: null,
  nameMaxLength: Number.POSITIVE_INFINITY,
  parametersRequired: true,
}

/** On Chat everything must be a function, so web search becomes one too and the caller runs it. */
const hostedOnChat = {
  web_search: 'emulate',
  web_search_2025_08_26: 'emulate',
  web_search_preview: 'emulate',
  web_search_preview_2025_03_11: 'emulate',
} as const

export function toChatParams(params: ToolParams, options: ToolFormatOptions, report: Report): ToolParams {
  const profile = { ...builtInTools.chat.profile, ...unchangedNames }
  const source = builtInTools.chat.profile
  const context = {
    target: builtInTools.chat.wire,
    profile,
    source,
    options: { strictPasses, ...options, hostedTools: hostedOnChat },
    report,
    sameWire: false,
  }
  const { tools, ...rest } = adaptToolParams(params, context)
  reportNames(tools ?? [], source, report)
  return tools === undefined ? rest : { ...rest, tools: tools.map(withoutFalseStrict) }
}

/** On Chat, leaving `strict` out means `false`. */
function withoutFalseStrict(tool: Tool): Tool {
  if (tool.kind !== 'function' || tool.strict !== false) return tool
  const { strict: _, ...rest } = tool
  return rest
}

export function writeChatTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
): unknown[] {
  const { tools: adapted = [] } = toChatParams({ tools }, options, report)
  return adapted.map(tool => builtInTools.chat.encodeTool(tool, report))
}

export function writeResponsesTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
): unknown[] {
  return encodeResponsesTools(fitResponsesTools(tools, options, report), report)
}

export function encodeResponsesTools(tools: readonly Tool[], report: Report): unknown[] {
  return tools.map(tool => builtInTools.responses.encodeTool(tool, report))
}

/** Only functions are fitted: what Responses defines by type is at home there and passes verbatim. */
export function fitResponsesTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
): Tool[] {
  const profile = { ...builtInTools.responses.profile, ...unchangedNames }
  const functions = tools.filter(isFunction)
  const context = {
    target: builtInTools.responses.wire,
    profile,
    source: builtInTools.responses.profile,
    options: { strictPasses, ...options },
    report,
    sameWire: false,
  }
  reportNames(tools, builtInTools.responses.profile, report)
  const { tools: adapted = [] } = adaptToolParams({ tools: functions }, context)
  const fitted = new Map(functions.map((tool, i) => [tool, adapted[i]]))
  return tools.map(tool => (isFunction(tool) && fitted.get(tool)) || tool)
}

/** A name goes out as it is, so whoever gave it must hear that the server will not take it. */
function reportNames(tools: readonly Tool[], profile: Profile, report: Report): void {
  const { nameCharacters, nameMaxLength } = profile
  const illegal = nameCharacters === null ? undefined : new RegExp(`[^${nameCharacters}]`, 'u')
  const remedy = 'Rename the tool, or use convertTools, whose undo brings the name back.'
  for (const tool of tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue
    const path = [...tool.path, 'name']
    if (illegal?.test(tool.name)) {
      const why = `it may hold only the characters ${nameCharacters}`
      report('name_characters', path, `The server refuses the name ${show(tool.name)}: ${why}. ${remedy}`)
    }
    if (tool.name.length > nameMaxLength) {
      const why = `it has ${tool.name.length} characters, and ${nameMaxLength} are taken`
      report('name_too_long', path, `The server refuses this name: ${why}. ${remedy}`)
    }
  }
}

function isFunction(tool: Tool): tool is FunctionTool {
  return tool.kind === 'function'
}
