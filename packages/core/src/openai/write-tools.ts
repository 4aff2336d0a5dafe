/** Fits tools to one of OpenAI's wires and writes them, with the options all the functions here share. */
import { codecs } from '../codecs/index.ts'
import type { Profile } from '../codecs/profile.ts'
import { adaptToolParams } from '../convert/adapt/adapt-tools.ts'
import type { Report } from '../model/diagnostic.ts'
import type { FunctionTool, Tool, ToolParams } from '../model/tool.ts'
import type { ToolFormatOptions } from './types.ts'

/** Names stay as they are, and every function says its parameters. */
const ownRules: Partial<Profile> = {
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
  const profile = { ...codecs.chat.profile, ...ownRules }
  const source = codecs.chat.profile
  const context = {
    profile,
    source,
    options: { ...options, hostedTools: hostedOnChat },
    report,
    sameWire: false,
  }
  const { tools, ...rest } = adaptToolParams(params, context)
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
  return adapted.map(tool => codecs.chat.encodeTool(tool, report))
}

/** Only functions are fitted: what Responses defines by type is at home there and passes verbatim. */
export function writeResponsesTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
): unknown[] {
  const profile = { ...codecs.responses.profile, ...ownRules }
  const given = tools.filter(isFunction)
  const context = { profile, source: codecs.responses.profile, options, report, sameWire: false }
  const { tools: adapted = [] } = adaptToolParams({ tools: given }, context)
  const fitted = new Map(given.map((tool, i) => [tool, adapted[i]]))
  return tools.map(tool =>
    codecs.responses.encodeTool((isFunction(tool) && fitted.get(tool)) || tool, report),
  )
}

function isFunction(tool: Tool): tool is FunctionTool {
  return tool.kind === 'function'
}
