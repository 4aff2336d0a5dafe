import { isObject, own } from '../../json/object.ts'
import type { Recognisers, WireConversation } from '../define-wire.ts'
import { openaiFraming } from '../kit/openai-facts.ts'
import { clientLibraryFields } from '../kit/residue.ts'
import { sseFrames } from '../kit/sse-frames.ts'
import { decodeAnswer, encodeAnswer } from './answer/answer.ts'
import { responsesCompactions } from './compaction.ts'
import { decodeHostedCall, encodeHostedCall } from './hosted-calls.ts'
import { decodeRequest, encodeRequest } from './request/request.ts'
import { decodeServerCalls, encodeServerCall } from './server-calls.ts'
import { ResponsesStreamDecoder } from './stream/decoder.ts'
import { ResponsesStreamEncoder } from './stream/encoder.ts'
import { responsesTools } from './tools/index.ts'

const recognise: Recognisers = {
  request: body => (own(body, 'input') !== undefined || own(body, 'instructions') !== undefined ? 7 : 0),
  answer: body => (own(body, 'object') === 'response' || Array.isArray(own(body, 'output')) ? 4 : 0),
  frame(event, data) {
    const body = isObject(data) ? data : {}
    const type = own(body, 'type') ?? event
    if (typeof type === 'string' && type.startsWith('response.')) return 3
    return type === 'error' && isObject(data) && !isObject(own(body, 'error')) ? 3 : 0
  },
}

/** Responses, as far as converting requests, answers and streams needs it. */
export const responsesConversation: WireConversation = {
  ...responsesTools,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder: (report, options) => new ResponsesStreamDecoder(report, options),
  createStreamEncoder: (context, report) => new ResponsesStreamEncoder(context, report),
  hostedCalls: { decode: decodeHostedCall, encode: encodeHostedCall },
  serverCalls: { decode: decodeServerCalls, encode: encodeServerCall },
  compactions: responsesCompactions,
  frames: sseFrames,
  habits: {
    callIdPrefix: 'call_',
    history: 'input',
    memory: { previous: 'previous_response_id', conversation: 'conversation' },
    clientItems: new Map([
      ['local_shell_call', {}],
      ['shell_call', {}],
      ['apply_patch_call', {}],
      ['computer_call', {}],
      ['mcp_approval_request', {}],
      ['tool_search_call', { ranBy: ['execution', 'server'] }],
    ]),
    addedFields: clientLibraryFields,
    emptyFields: new Set(['logprobs']),
  },
  framing: { ...openaiFraming, listField: 'input', limitField: 'max_output_tokens', entry: 'item' },
  recognise,
}
