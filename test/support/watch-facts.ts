/** Watches a gateway from outside: what was known of each exchange when it was over. */
import type { ExchangeFacts, Observer } from '../../packages/toolwire/src/gateway/observation.ts'
import { watchEnds } from '../../packages/toolwire/src/telemetry/watch-ends.ts'

export function watchFacts(): { readonly observer: Observer; readonly facts: ExchangeFacts[] } {
  const ended: ExchangeFacts[] = []
  return { observer: watchEnds(facts => () => void ended.push(facts)), facts: ended }
}
