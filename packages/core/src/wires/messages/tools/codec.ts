import type { ToolCodec } from '../../codec.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { messagesProfile } from './profile.ts'
import { decodeMessagesTool, encodeMessagesTool } from './tools.ts'

export const messagesToolCodec: ToolCodec = {
  wire: 'messages',
  profile: messagesProfile,
  never: ['namespaces', 'additionalTools', 'customTools', 'allowedTools', 'penalties'],
  decodeTool: decodeMessagesTool,
  encodeTool: encodeMessagesTool,
  decodeToolParams,
  encodeToolParams,
}
