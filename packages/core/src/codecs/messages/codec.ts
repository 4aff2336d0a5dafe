import type { Codec } from '../codec.ts'
import { decodeAnswer, encodeAnswer } from './answer.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { readRunCalls, writeRunCall } from './run-calls.ts'
import { createStreamDecoder } from './stream-decoder.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { messagesToolCodec } from './tool-codec.ts'

export const messagesCodec: Codec = {
  ...messagesToolCodec,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
  runCalls: { read: readRunCalls, write: writeRunCall },
}
