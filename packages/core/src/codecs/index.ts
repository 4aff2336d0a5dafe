import type { Wire } from '../model/wire.ts'
import { chatCodec } from './chat/codec.ts'
import type { Codec } from './codec.ts'
import { messagesCodec } from './messages/codec.ts'
import { responsesCodec } from './responses/codec.ts'

/** The only place where a wire's name chooses code. */
export const codecs: { readonly [W in Wire]: Codec } = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
}
