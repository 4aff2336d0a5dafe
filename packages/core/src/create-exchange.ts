/** `createExchange` for wires that are given by name. */
import type { Exchange } from './convert/exchange.ts'
import { createExchangeWith } from './convert/exchange.ts'
import type { IdSource, ExchangeOptions as Options } from './convert/exchange-options.ts'
import { checkExchangeOptions } from './convert/exchange-options.ts'
import { randomId, secondsNow } from './platform.ts'
import { strictPasses } from './schema/strict/passes.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf } from './wires/registry.ts'

export type ExchangeOptions = Options<Wire>

/** One request and its answer between a client's wire (`from`) and an upstream's (`to`). */
export function createExchange(options: ExchangeOptions & Partial<IdSource>): Exchange {
  checkExchangeOptions(options)
  const { newId = randomId, now = secondsNow } = options
  const from = conversationOf(options.from, 'from')
  const to = conversationOf(options.to, 'to')
  return createExchangeWith({ newId, now }, { from, to }, options, options.strictPasses ?? strictPasses)
}
