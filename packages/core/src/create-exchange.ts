/** `createExchange` for wires that are given by name. */
import type { Exchange } from './convert/exchange.ts'
import { createExchangeWith } from './convert/exchange.ts'
import type { IdSource, ExchangeOptions as Options } from './convert/exchange-options.ts'
import { checkExchangeOptions } from './convert/exchange-options.ts'
import { randomId, secondsNow } from './platform.ts'
import { strictPasses } from './schema/strict/passes.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf } from './wires/registry.ts'

/** The two wires of an exchange, and how it converts. */
export type ExchangeOptions = Options<Wire>

/**
 * One request and its answer between a client's wire (`from`) and an upstream's (`to`).
 *
 * @example
 * ```js
 * import { createExchange } from '@toolwire/core'
 *
 * const exchange = createExchange({ from: 'messages', to: 'chat' })
 * const request = { model: 'qwen3', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] }
 * const { value, diagnostics } = exchange.request(request) // for the upstream, and what it will not get
 * const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }
 * console.log(value, diagnostics, exchange.response({ choices: [choice] }).value.content)
 * ```
 */
export function createExchange(options: ExchangeOptions & Partial<IdSource>): Exchange {
  checkExchangeOptions(options)
  const { newId = randomId, now = secondsNow } = options
  const from = conversationOf(options.from, 'from')
  const to = conversationOf(options.to, 'to')
  return createExchangeWith({ newId, now }, { from, to }, options, options.strictPasses ?? strictPasses)
}
