import type { Wire } from '../model/wire.ts'
import { chatToolCodec } from './chat/tools/codec.ts'
import type { ToolCodec } from './codec.ts'
import { messagesToolCodec } from './messages/tools/codec.ts'
import { responsesToolCodec } from './responses/tools/codec.ts'

/** A wire's name chooses code here and beside, where whole conversations are chosen, and nowhere else. */
export const toolCodecs: { readonly [W in Wire]: ToolCodec } = {
  chat: chatToolCodec,
  responses: responsesToolCodec,
  messages: messagesToolCodec,
}
