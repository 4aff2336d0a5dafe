import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { createStreamDecoder } from './stream/decoder.ts'
import { createStreamEncoder } from './stream/encoder.ts'
import { chatToolCodec } from './tools/codec.ts'

export const chatCodec: Codec = {
  ...chatToolCodec,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
}
