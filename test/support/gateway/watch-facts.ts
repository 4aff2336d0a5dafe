/** An observer that collects the facts of each exchange when it ends. */

import { combineObservers } from '../../../packages/toolwire/src/telemetry/combine-observers.ts'
import type { ExchangeFacts, Observer } from '../../../packages/toolwire/src/telemetry/observer.ts'

export function collectFacts(): { readonly observer: Observer; readonly facts: ExchangeFacts[] } {
  const ended: ExchangeFacts[] = []
  return { observer: combineObservers({ ended: facts => void ended.push(facts) }), facts: ended }
}
