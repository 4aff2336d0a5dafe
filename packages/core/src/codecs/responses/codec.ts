import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer.ts'
import { readHostedCall, writeHostedCall } from './hosted-calls.ts'
import { responsesProfile } from './profile.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { createStreamDecoder } from './stream-decoder.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
import { decodeResponsesTool, encodeResponsesTool } from './tools.ts'

export const responsesCodec: Codec = {
  wire: 'responses',
  profile: responsesProfile,
  never: [],
  decodeTool: decodeResponsesTool,
  encodeTool: encodeResponsesTool,
  decodeToolParams,
  encodeToolParams,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
  hostedCalls: { read: readHostedCall, write: writeHostedCall },
}
