/**
 * Giving up. The platform's `AbortController` takes microseconds to make on older versions of Node, and every request
 * needs two; this one does what is needed here and no more. Code that is not ours gets a real one.
 */
import type { SignalLike } from '@toolwire/core'
import type { Placed } from '../../platform/passing.ts'
import { clientGone, GatewayError } from '../errors.ts'

/** AbortController and AbortSignal in one object. */
export class Abort implements SignalLike, Placed {
  place = -1
  aborted = false
  reason: unknown = undefined
  readonly #listeners: (() => void)[] = []

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    // A listener may remove another, which is then not called.
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

/** The same as a platform's signal, for code that is not ours. `release` it when it is no longer needed. */
export function platformSignal(signal: SignalLike): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  return { signal: controller.signal, release: () => signal.removeEventListener('abort', onAbort) }
}

/** Why the exchange was given up: a deadline or a shutdown gives its own reason, otherwise the client has gone. */
export function abortReason(signal: SignalLike): GatewayError {
  return signal.reason instanceof GatewayError ? signal.reason : clientGone()
}

/** The result of the work, unless the exchange is given up before. The work itself is not stopped. */
export function unlessAborted<T>(signal: SignalLike, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    work.then(
      value => {
        signal.removeEventListener('abort', onAbort)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    )
  })
}
