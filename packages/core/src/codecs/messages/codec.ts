import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer.ts'
import { messagesProfile } from './profile.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { createStreamDecoder } from './stream-decoder.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
import { decodeMessagesTool, encodeMessagesTool } from './tools.ts'

export const messagesCodec: Codec = {
  wire: 'messages',
  profile: messagesProfile,
  never: ['namespaces', 'additionalTools', 'customTools', 'allowedTools'],
  decodeTool: decodeMessagesTool,
  encodeTool: encodeMessagesTool,
  decodeToolParams,
  encodeToolParams,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
}
