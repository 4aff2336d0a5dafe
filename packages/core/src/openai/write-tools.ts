/** Adapts tools to one of OpenAI's wires and encodes them, with the options that all functions here share. */

import type { ConversionContext } from '../convert/adapt/context.ts'
import { adaptTools } from '../convert/adapt/request-adaptations.ts'
import type { ToolOptions } from '../convert/shared/options.ts'
import type { Profiles } from '../convert/shared/profiles.ts'
import { show } from '../json/text.ts'
import type { Report } from '../model/diagnostic.ts'
import type { FunctionTool, Tool, ToolParams } from '../model/tool.ts'
import { strictPasses } from '../schema/strict/passes.ts'
import type { WireTools } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
import { programProfile } from '../wires/profile.ts'
import { builtInTools } from '../wires/registry.ts'
import type { ToolFormatOptions } from './types.ts'

/** Names stay unchanged, and every function has parameters. */
const unchangedNames: Partial<Profile> = {
  nameCharacters: null,
  nameMaxLength: Number.POSITIVE_INFINITY,
  parametersRequired: true,
}

/** What becomes of schemas, with the rules that the tools are known to obey. */
interface SchemaFacts {
  readonly facts: Partial<Profile>
  readonly source?: Profile
}

/** Definitions of others stay as they are: no function here changes them without an undo. */
const unchanged: Partial<Profile> = {
  soundSchemas: false,
  rootTypeRequired: false,
  rootProperties: false,
  rootRefused: [],
  arrayItems: false,
}

/** Chat has only functions, so web search becomes one too, and the caller runs it. */
const hostedOnChat = {
  web_search: 'emulate',
  web_search_2025_08_26: 'emulate',
  web_search_preview: 'emulate',
  web_search_preview_2025_03_11: 'emulate',
} as const

const givenSchemas: SchemaFacts = { facts: unchanged }
/** Registered tools are written as a conversation sends them. Without an undo, no root is wrapped. */
export const registeredSchemas: SchemaFacts = {
  facts: { soundSchemas: false, rootRefused: [] },
  source: programProfile,
}
/** With an undo, schemas may be rewritten. */
export const undoneSchemas: SchemaFacts = { facts: {}, source: programProfile }

/** The tools are the program's, and as strict as the target's rules require. */
function adaptFor(
  to: WireTools,
  tools: ToolParams,
  options: ToolOptions,
  report: Report,
  { facts, source = to.profile }: SchemaFacts = givenSchemas,
): ToolParams {
  const profile = { ...to.profile, ...unchangedNames, ...facts }
  const profiles: Profiles = { native: profile, foreign: profile, ofModel: () => profiles }
  const context: ConversionContext = {
    origin: undefined,
    source,
    target: to,
    isNative: false,
    profile,
    profiles,
    options,
    strictPasses,
    cacheMarks: { source: undefined, target: undefined },
    seal: undefined,
    client: undefined,
  }
  return adaptTools(tools, context, report)
}

export function toChatParams(
  params: ToolParams,
  options: ToolFormatOptions,
  report: Report,
  schemas?: SchemaFacts,
): ToolParams {
  const { chat } = builtInTools
  const settings = { ...options, hostedTools: hostedOnChat }
  const { tools, ...rest } = adaptFor(chat, params, settings, report, schemas)
  reportNames(tools ?? [], chat.profile, report)
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
  schemas?: SchemaFacts,
): unknown[] {
  const { tools: adapted = [] } = toChatParams({ tools }, options, report, schemas)
  return adapted.map(tool => builtInTools.chat.encodeTool(tool, report))
}

export function writeResponsesTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
  schemas?: SchemaFacts,
): unknown[] {
  return encodeResponsesTools(fitResponsesTools(tools, options, report, schemas), report)
}

export function encodeResponsesTools(tools: readonly Tool[], report: Report): unknown[] {
  return tools.map(tool => builtInTools.responses.encodeTool(tool, report))
}

/** Only functions are adapted; tools that Responses defines by type stay unchanged. */
export function fitResponsesTools(
  tools: readonly Tool[],
  options: ToolFormatOptions,
  report: Report,
  schemas?: SchemaFacts,
): Tool[] {
  const { responses } = builtInTools
  const functions = tools.filter(isFunction)
  reportNames(tools, responses.profile, report)
  const { tools: adapted = [] } = adaptFor(responses, { tools: functions }, options, report, schemas)
  const fitted = new Map(adapted.map(tool => [tool.root, tool]))
  return tools.flatMap(tool => (isFunction(tool) ? (fitted.get(tool.root) ?? []) : tool))
}

/** Names are not rewritten here, so a name that the server will refuse is reported. */
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
