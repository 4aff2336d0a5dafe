/** What all calls of a run share: the settings, and the moment that ends them all. */

import type { Host, Signal } from '../host.ts'
import type { Stop } from './failure.ts'
import type { CallEvent, RunSettings } from './run-options.ts'

export interface RunContext {
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
    stop({ by: 'batch_timeout', reason: timeoutError('The batch ran out of time.') })
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
export function timeoutError(message: string): Error {
  const reason = new Error(message)
  reason.name = 'TimeoutError'
  return reason
}

export type ScopeEnd = Stop | { readonly by: 'deadline'; readonly milliseconds: number; readonly reason: unknown }

type Settled<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'ended'; readonly end: ScopeEnd }

export interface Scope {
  readonly signal: Signal
  /** False once the call has ended or its scope is closed. */
  readonly open: boolean
  /** Runs the work and waits for it, or for the end. Never rejects. */
  settle<T>(work: () => T | PromiseLike<T>): Promise<Settled<T>>
  pause(milliseconds: number): Promise<Settled<void>>
  /** Ends the call after so long, unless the returned function is called before. */
  limit(milliseconds: number): () => void
  close(): void
}

export function openScope(host: Host, batch: Batch): Scope {
  const controller = host.createAbort()
  const clears = new Set<() => void>()
  let end: ScopeEnd | undefined
  let open = true
  let onEnd: ((end: ScopeEnd) => void) | undefined

  const close = (): void => {
    open = false
    stopListening()
    for (const clear of clears) clear()
    clears.clear()
  }
  const finish = (why: ScopeEnd): void => {
    if (!open) return
    end = why
    close()
    // The outcome is settled before the handler hears of the end and can answer to it.
    onEnd?.(why)
    controller.abort(why.reason)
  }
  const stopListening = batch.onStop(finish)

  const settle = <T>(work: () => T | PromiseLike<T>): Promise<Settled<T>> =>
    new Promise(resolve => {
      const ended = end ?? batch.stopped
      if (ended !== undefined) return resolve({ type: 'ended', end: ended })
      onEnd = why => resolve({ type: 'ended', end: why })
      // A promise of the platform's own stands between, because a foreign one may settle twice or throw.
      new Promise<T>(started => started(work())).then(
        value => resolve({ type: 'done', value }),
        thrown => resolve({ type: 'threw', thrown }),
      )
    })

  const timer = (milliseconds: number, callback: () => void): (() => void) => {
    const stop = host.after(milliseconds, () => {
      clears.delete(clear)
      callback()
    })
    const clear = (): void => {
      clears.delete(clear)
      stop()
    }
    clears.add(clear)
    return clear
  }

  return {
    signal: controller.signal,
    get open() {
      return open
    },
    settle,
    pause: milliseconds => settle(() => new Promise<void>(resolve => void timer(milliseconds, resolve))),
    limit: milliseconds =>
      timer(milliseconds, () => {
        const reason = timeoutError(`The call did not finish within ${milliseconds} ms.`)
        finish({ by: 'deadline', milliseconds, reason })
      }),
    close,
  }
}
