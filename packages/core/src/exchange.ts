/**
 * @toolwire/core/exchange: exchanges between wires that are passed as definitions. Names are not resolved here, so a
 * bundle contains only the two wires that it uses.
 */
import type { Exchange } from './convert/exchange.ts'
import { createExchangeWith } from './convert/exchange.ts'
import type { ExchangeOptions, IdSource } from './convert/exchange-options.ts'
import { randomId, secondsNow } from './platform.ts'

/** One request and its answer between a client's wire (`from`) and an upstream's (`to`). */
export function createExchange(options: ExchangeOptions & Partial<IdSource>): Exchange {
  const { newId = randomId, now = secondsNow } = options
  return createExchangeWith({ newId, now }, options)
}

export type { ConvertedAnswer } from './convert/convert-answer.ts'
export type { Exchange } from './convert/exchange.ts'
export type { ExchangeOptions } from './convert/exchange-options.ts'
export type { ExchangeStream } from './convert/stream/exchange-stream.ts'
export { chatConversation as chat } from './wires/chat/conversation.ts'
export type { WireConversation } from './wires/define-wire.ts'
export { messagesConversation as messages } from './wires/messages/conversation.ts'
export { responsesConversation as responses } from './wires/responses/conversation.ts'
