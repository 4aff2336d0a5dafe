import type { ToolCodec } from '../../codec.ts'
import { decodeToolParams, encodeToolParams } from './params.ts'
import { chatProfile } from './profile.ts'
import { decodeChatTool, encodeChatTool } from './tools.ts'

export const chatToolCodec: ToolCodec = {
  wire: 'chat',
  profile: chatProfile,
  never: ['namespaces', 'additionalTools', 'webSearch'],
  decodeTool: decodeChatTool,
  encodeTool: encodeChatTool,
  decodeToolParams,
  encodeToolParams,
}
