import type { Wire } from '../model/wire.ts'
import { chatCodec } from './chat/codec.ts'
import type { Codec } from './codec.ts'
import { messagesCodec } from './messages/codec.ts'
import { responsesCodec } from './responses/codec.ts'

/** Whole wires. Whoever converts only tools takes `toolCodecs`, which is much less. */
export const codecs: { readonly [W in Wire]: Codec } = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
}
