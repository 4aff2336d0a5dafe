import { isObject, own } from '../../json/object.ts'
import type { Recognisers, TokenFraming, WireConversation } from '../define-wire.ts'
import { clientLibraryFields } from '../kit/residue.ts'
import { sseFrames } from '../kit/sse-frames.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { messagesCompactions } from './compaction.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { decodeServerCalls, encodeServerCall } from './server-calls.ts'
import { MessagesStreamDecoder } from './stream/decoder.ts'
import { MessagesStreamEncoder } from './stream/encoder.ts'
import { messagesTools } from './tools/index.ts'

/** Blocks that only this wire has. */
const ownBlocks: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'image',
  'document',
])

const recognise: Recognisers = {
  request(body) {
    if (own(body, 'system') !== undefined) return 3
    const messages = own(body, 'messages')
    return Array.isArray(messages) && messages.some(hasOwnBlocks) ? 2 : 0
  },
  answer(body) {
    if (own(body, 'type') === 'error' && isObject(own(body, 'error'))) return 3
    return own(body, 'role') === 'assistant' && Array.isArray(own(body, 'content')) ? 3 : 0
  },
  frame(event, data) {
    const body = isObject(data) ? data : {}
    const type = own(body, 'type') ?? event
    if (typeof type === 'string' && /^(?:message|content_block)_/.test(type)) return 3
    return type === 'error' && isObject(own(body, 'error')) ? 3 : 0
  },
}

function hasOwnBlocks(message: unknown): boolean {
  const content = isObject(message) ? own(message, 'content') : undefined
  return Array.isArray(content) && content.some(block => isObject(block) && ownBlocks.has(own(block, 'type')))
}

/** Anthropic has published only the size of the prompt that comes with tools; as of November 2026. */
const framing: TokenFraming = {
  listField: 'messages',
  limitField: 'max_tokens',
  entry: 'message',
  perMessage: 3,
  countsRole: false,
  perName: 0,
  perCall: 0,
  perResult: 0,
  perLegacyResult: 0,
  parallel: { once: 0, each: 0 },
  reply: 4,
  tools: 'json',
  images: 'area',
  aroundTools: { alone: 0, withSystem: 0 },
  choice: { none: 0, named: 0 },
}

/** Messages, as far as converting requests, answers and streams needs it. */
export const messagesConversation: WireConversation = {
  ...messagesTools,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder: (report, options) => new MessagesStreamDecoder(report, options),
  createStreamEncoder: (context, report) => new MessagesStreamEncoder(context, report),
  serverCalls: { decode: decodeServerCalls, encode: encodeServerCall },
  compactions: messagesCompactions,
  frames: sseFrames,
  habits: {
    callIdPrefix: 'toolu_',
    history: 'messages',
    clientItems: new Map(),
    addedFields: clientLibraryFields,
    emptyFields: new Set(['citations']),
  },
  framing,
  recognise,
}
