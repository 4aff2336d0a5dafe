import { isObject, own } from '../../json/object.ts'
import type { Recognisers, WireConversation } from '../define-wire.ts'
import { openaiFraming } from '../kit/openai-facts.ts'
import { clientLibraryFields } from '../kit/residue.ts'
import { sseFrames } from '../kit/sse-frames.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { ChatStreamDecoder } from './stream/decoder.ts'
import { ChatStreamEncoder } from './stream/encoder.ts'
import { chatTools } from './tools/index.ts'

const recognise: Recognisers = {
  request(body) {
    if (own(body, 'functions') !== undefined || own(body, 'function_call') !== undefined) return 6
    return Array.isArray(own(body, 'messages')) ? 1 : 0
  },
  answer(body) {
    if (own(body, 'object') === 'chat.completion' || Array.isArray(own(body, 'choices'))) return 4
    // Both wires of OpenAI have the same error body; as Chat it is read in full.
    return isObject(own(body, 'error')) ? 1 : 0
  },
  frame(_, data) {
    if (data === '[DONE]') return 4
    if (!isObject(data)) return 0
    if (own(data, 'object') === 'chat.completion.chunk' || Array.isArray(own(data, 'choices'))) return 4
    return isObject(own(data, 'error')) && own(data, 'type') !== 'error' ? 1 : 0
  },
}

/** Chat Completions, as far as converting requests, answers and streams needs it. */
export const chatConversation: WireConversation = {
  ...chatTools,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder: (report, options) => new ChatStreamDecoder(report, options),
  createStreamEncoder: (context, report) => new ChatStreamEncoder(context, report),
  frames: sseFrames,
  habits: {
    callIdPrefix: 'call_',
    history: 'messages',
    clientItems: new Map(),
    addedFields: clientLibraryFields,
    emptyFields: new Set(['refusal', 'annotations', 'audio', 'function_call', 'tool_calls']),
  },
  framing: {
    ...openaiFraming,
    listField: 'messages',
    limitField: 'max_completion_tokens',
    entry: 'message',
  },
  recognise,
}
