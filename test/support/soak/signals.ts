/** Counts listeners that were never removed from signals that will never abort. */
import { getEventListeners } from 'node:events'

/** Every signal made from now on, so that listeners left behind on those that never aborted can be counted. */
export function watchSignals(): { stop(): number } {
  const Original = globalThis.AbortController
  const signals: AbortSignal[] = []
  globalThis.AbortController = class extends Original {
    constructor() {
      super()
      signals.push(this.signal)
    }
  }
  return {
    stop() {
      globalThis.AbortController = Original
      return signals
        .filter(({ aborted }) => !aborted)
        .reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0)
    },
  }
}
