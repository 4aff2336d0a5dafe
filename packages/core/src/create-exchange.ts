import type { Exchange, ExchangeOptions, IdSource } from './convert/exchange.ts'
import { createExchangeWith } from './convert/exchange.ts'
import { randomId, secondsNow } from './platform.ts'

/** One request and its answer between a client's wire (`from`) and an upstream's (`to`). */
export function createExchange(options: ExchangeOptions & Partial<IdSource>): Exchange {
  const { newId = randomId, now = secondsNow } = options
  return createExchangeWith({ newId, now }, options)
}
