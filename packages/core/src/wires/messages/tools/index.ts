import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import { messagesStrictRules } from '../../../schema/strict/rules.ts'
import type { HostedToolFacts, Score, ToolLimits, WireTools } from '../../define-wire.ts'
import { messagesCacheMark } from '../residue.ts'
import { hostedFamilies } from './hosted-tools.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { messagesProfile } from './profile.ts'
import { decodeTool, encodeTool } from './tools.ts'

/** Every value was seen in an answer of the provider, or in its specification. */
const limits: ToolLimits = {
  maxTools: Number.POSITIVE_INFINITY,
  maxDescription: Number.POSITIVE_INFINITY,
  maxNamespaceName: 64,
  maxInnerName: 128,
  nullFields: false,
  propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
  strictRules: messagesStrictRules,
}

const hostedTools: HostedToolFacts = {
  types: [],
  datedFamilies: hostedFamilies,
  required: new Map([
    ['bash', ['name']],
    ['text_editor', ['name']],
    ['memory', ['name']],
    ['computer', ['name', 'display_width_px', 'display_height_px']],
    ['web_search', ['name']],
    ['web_fetch', ['name']],
    ['code_execution', ['name']],
    ['tool_search_tool_bm25', ['name']],
    ['tool_search_tool_regex', ['name']],
    ['advisor', ['name', 'model']],
    ['mcp_toolset', ['mcp_server_name']],
  ]),
  exactlyOne: new Map(),
}

/** Messages, as far as converting tools needs it. */
export const messagesTools: WireTools = {
  wire: 'messages',
  title: 'Anthropic Messages',
  profile: messagesProfile,
  cacheMark: messagesCacheMark,
  never: ['namespaces', 'additionalTools', 'customTools', 'allowedTools', 'penalties'],
  decodeTool: decodeTool,
  encodeTool: encodeTool,
  decodeToolParams,
  encodeToolParams,
  limits,
  hostedTools,
  recogniseTool,
}

function recogniseTool(tool: JsonObject): Score {
  if (own(tool, 'input_schema') !== undefined) return 3
  const type = own(tool, 'type')
  return typeof type === 'string' && /_\d{8}$/.test(type) ? 3 : 0
}
