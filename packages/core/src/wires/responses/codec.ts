import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { readHostedCall, writeHostedCall } from './hosted-calls.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { readRunCalls, writeRunCall } from './server-calls.ts'
import { createStreamDecoder } from './stream/decoder.ts'
import { createStreamEncoder } from './stream/encoder.ts'
import { responsesToolCodec } from './tools/codec.ts'

export const responsesCodec: Codec = {
  ...responsesToolCodec,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
  hostedCalls: { read: readHostedCall, write: writeHostedCall },
  serverCalls: { read: readRunCalls, write: writeRunCall },
}
