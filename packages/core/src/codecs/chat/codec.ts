import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer.ts'
import { chatProfile } from './profile.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { createStreamDecoder } from './stream-decoder.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
import { decodeChatTool, encodeChatTool } from './tools.ts'

export const chatCodec: Codec = {
  wire: 'chat',
  profile: chatProfile,
  never: ['namespaces', 'additionalTools', 'webSearch'],
  decodeTool: decodeChatTool,
  encodeTool: encodeChatTool,
  decodeToolParams,
  encodeToolParams,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
}
