import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { readRunCalls, writeRunCall } from './server-calls.ts'
import { createStreamDecoder } from './stream/decoder.ts'
import { createStreamEncoder } from './stream/encoder.ts'
import { messagesToolCodec } from './tools/codec.ts'

export const messagesCodec: Codec = {
  ...messagesToolCodec,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
  serverCalls: { read: readRunCalls, write: writeRunCall },
}
