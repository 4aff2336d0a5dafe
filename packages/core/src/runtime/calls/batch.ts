/** What all calls of a run share: the settings, and the moment that ends them all. */

import type { Host } from '../host.ts'
import type { Stop } from './failure.ts'
import type { CallEvent, RunSettings } from './run-options.ts'

export interface Run {
  readonly host: Host
  readonly settings: RunSettings
  readonly batch: Batch
  emit(event: CallEvent): void
}

export interface Batch {
  /** Set once the batch must end. */
  readonly stopped: Stop | undefined
  /** The first stop counts. */
  stop(stop: Stop): void
  /** Returns the function that ends listening. */
  onStop(listener: (stop: Stop) => void): () => void
  /** Lets go of the caller's signal and of the timer. */
  close(): void
}

export function openBatch(host: Host, { signal, batchTimeoutMs }: RunSettings): Batch {
  const listeners = new Set<(stop: Stop) => void>()
  let stopped: Stop | undefined
  const stop = (why: Stop): void => {
    if (stopped !== undefined) return
    stopped = why
    for (const listener of [...listeners]) listener(why)
  }
  const onAbort = (): void => stop({ by: 'abort', reason: signal?.reason })
  const outOfTime = (): void =>
    stop({ by: 'batch_timeout', reason: timeoutReason('The batch ran out of time.') })
  const clearTimer = batchTimeoutMs === undefined ? undefined : host.after(batchTimeoutMs, outOfTime)
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort)
  return {
    get stopped() {
      return stopped
    },
    stop,
    onStop(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      signal?.removeEventListener('abort', onAbort)
      clearTimer?.()
    },
  }
}

/** Named as the platform names it, so that a handler can tell it from a cancellation. */
export function timeoutReason(message: string): Error {
  const reason = new Error(message)
  reason.name = 'TimeoutError'
  return reason
}
