import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import type { HostedToolFacts, Score, WireTools } from '../../define-wire.ts'
import { openaiCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import { openaiLimits } from '../../kit/openai-facts.ts'
import { hostedTypes } from './hosted-tools.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { responsesProfile } from './profile.ts'
import { decodeTool, encodeTool } from './tools.ts'

const hostedTools: HostedToolFacts = {
  types: [...hostedTypes, 'tool_search_tool_bm25', 'tool_search_tool_regex'],
  datedFamilies: [],
  required: new Map([
    ['mcp', ['server_label']],
    ['file_search', ['vector_store_ids']],
    ['code_interpreter', ['container']],
    ['computer_use_preview', ['display_width', 'display_height', 'environment']],
  ]),
  // An MCP tool reaches its server in one of these ways.
  exactlyOne: new Map([
    [
      'mcp',
      {
        fields: ['server_url', 'connector_id', 'tunnel_id'],
        missing: 'Nothing says how to reach the MCP server.',
      },
    ],
  ]),
}

/** Responses, as far as converting tools needs it. */
export const responsesTools: WireTools = {
  wire: 'responses',
  title: 'OpenAI Responses',
  profile: responsesProfile,
  cacheMark: { ...openaiCacheMark, assistant: false },
  never: [],
  decodeTool: decodeTool,
  encodeTool: encodeTool,
  decodeToolParams,
  encodeToolParams,
  limits: { ...openaiLimits, nullFields: true },
  hostedTools,
  recogniseTool,
}

function recogniseTool(tool: JsonObject): Score {
  return typeof own(tool, 'type') === 'string' ? 2 : 0
}
