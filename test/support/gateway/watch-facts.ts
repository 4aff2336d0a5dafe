/** An observer that collects the facts of each exchange when it ends. */
import type { ExchangeFacts, Observer } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { onEnd } from '../../../packages/toolwire/src/telemetry/observer.ts'

export function collectFacts(): { readonly observer: Observer; readonly facts: ExchangeFacts[] } {
  const ended: ExchangeFacts[] = []
  return { observer: onEnd(facts => () => void ended.push(facts)), facts: ended }
}
