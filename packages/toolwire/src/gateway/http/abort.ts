/**
 * Giving up. The platform's `AbortController` takes microseconds to make on older versions of Node, and every request
 * needs two; this one does what is needed here and no more. Whatever is handed to others gets a real one.
 */
import type { SignalLike } from '@toolwire/core'

/** A signal and the power to give it. */
export class Abort implements SignalLike {
  aborted = false
  reason: unknown = undefined
  readonly #listeners: (() => void)[] = []

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    // One that is removed by another is not told.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at !== -1) this.#listeners.splice(at, 1)
  }
}

/** The same as a platform's signal, for code that is not ours. `release` when it is no longer needed. */
export function platformSignal(signal: SignalLike): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  return { signal: controller.signal, release: () => signal.removeEventListener('abort', onAbort) }
}
