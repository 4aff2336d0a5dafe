import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Score, WireTools } from '../../define-wire.ts'
import { openaiCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import { openaiLimits } from '../../kit/openai-facts.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { chatProfile } from './profile.ts'
import { decodeTool, encodeTool } from './tools.ts'

/** Chat Completions, as far as converting tools needs it. */
export const chatTools: WireTools = {
  wire: 'chat',
  title: 'OpenAI Chat Completions',
  profile: chatProfile,
  cacheMark: openaiCacheMark,
  never: ['namespaces', 'additionalTools', 'webSearch'],
  decodeTool: decodeTool,
  encodeTool: encodeTool,
  decodeToolParams,
  encodeToolParams,
  limits: { ...openaiLimits, maxDescription: 1024 },
  hostedTools: { types: [], datedFamilies: [], required: new Map(), exactlyOne: new Map() },
  effortOf: body => own(body, 'reasoning_effort'),
  recogniseTool,
}

function recogniseTool(tool: JsonObject): Score {
  if (isObject(own(tool, 'function')) || isObject(own(tool, 'custom'))) return 4
  // A bare function is what the deprecated `functions` held.
  return own(tool, 'name') === undefined ? 0 : 1
}
