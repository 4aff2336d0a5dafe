/**
 * "Relay": a wire that nobody speaks, as a stranger would add one. It has other field names than the built-in wires, its
 * model in the path, lines of JSON instead of server-sent events, and its key in a header of its own. It is made with
 * what core publishes and nothing else.
 */
import type { WireConversation, WireDefinition } from '@toolwire/core/wires'
import { defineWire, openaiFraming } from '@toolwire/core/wires'
import { decodeAnswer, encodeAnswer } from './answer.ts'
import { lineFrames } from './frames.ts'
import { recognise } from './recognise.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { relayService } from './service.ts'
import { createStreamDecoder } from './stream-decoder.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { relayTools } from './tools.ts'

const conversation: WireConversation = {
  ...relayTools,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createStreamDecoder,
  createStreamEncoder,
  frames: lineFrames,
  habits: {
    callIdPrefix: 'use_',
    history: 'talk',
    clientItems: new Map(),
    addedFields: new Set(),
    emptyFields: new Set(),
  },
  framing: { ...openaiFraming, listField: 'talk', limitField: 'cap', entry: 'message' },
  recognise,
}

export const relay: WireDefinition<'relay'> = defineWire({
  name: 'relay',
  title: relayTools.title,
  tools: relayTools,
  conversation,
  service: relayService,
})
