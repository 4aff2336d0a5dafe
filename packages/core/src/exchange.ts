/**
 * @toolwire/core/exchange: exchanges between wires that are passed as definitions. Names are not resolved here, so a
 * bundle contains only the two wires that it uses.
 */
import type { Exchange } from './convert/exchange.ts'
import { createExchangeWith } from './convert/exchange.ts'
import type { IdSource, ExchangeOptions as Options } from './convert/exchange-options.ts'
import { checkExchangeOptions } from './convert/exchange-options.ts'
import { randomId, secondsNow } from './platform.ts'
import type { ConversationLike } from './wires/facets.ts'
import { conversationFacet } from './wires/facets.ts'

/** The two wires of an exchange, and how it converts. */
export type ExchangeOptions = Options<ConversationLike>

/**
 * One request and its answer between a client's wire (`from`) and an upstream's (`to`).
 *
 * @example
 * ```js
 * import { chat, createExchange, responses } from '@toolwire/core/exchange'
 *
 * const exchange = createExchange({ from: responses, to: chat })
 * console.log(exchange.request({ model: 'qwen3', input: 'Hi' }).value.messages)
 * ```
 */
export function createExchange(options: ExchangeOptions & Partial<IdSource>): Exchange {
  checkExchangeOptions(options)
  const { newId = randomId, now = secondsNow } = options
  const from = conversationFacet(options.from, 'from')
  const to = conversationFacet(options.to, 'to')
  return createExchangeWith({ newId, now }, { from, to }, options)
}

export type { ConvertedAnswer } from './convert/convert-answer.ts'
export type { Exchange } from './convert/exchange.ts'
export type { ExchangeStream } from './convert/stream/exchange-stream.ts'
export { chatConversation as chat } from './wires/chat/conversation.ts'
export type { WireConversation } from './wires/define-wire.ts'
export { messagesConversation as messages } from './wires/messages/conversation.ts'
export { responsesConversation as responses } from './wires/responses/conversation.ts'
