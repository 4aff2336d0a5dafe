/**
 * The lifetimes of a batch and of each call in it. Work in a call, such as a handler or a validator, is awaited only
 * until the call ends, by its own deadline or with the batch. What settles later is ignored.
 */

import type { Host, Signal } from '../host.ts'
import type { Stop } from './failure.ts'
import type { CallEvent, RunSettings } from './run-options.ts'

/** What all calls of one run share. */
export interface RunContext {
  readonly host: Host
  readonly settings: RunSettings
  readonly batch: Batch
  emit(event: CallEvent): void
}

export interface Batch {
  /** Set once the batch must end. */
  readonly stopped: Stop | undefined
  /** Only the first call has an effect. */
  stop(stop: Stop): void
  /** Returns a function that removes the listener. */
  onStop(listener: (stop: Stop) => void): () => void
  /** Removes the listener from the caller's signal and clears the timer. */
  close(): void
}

export function openBatch(host: Host, { signal, batchTimeoutMs }: RunSettings): Batch {
  const listeners = new Set<(stop: Stop) => void>()
  let stopped: Stop | undefined
  const stop = (cause: Stop): void => {
    if (stopped !== undefined) return
    stopped = cause
    for (const listener of [...listeners]) listener(cause)
  }
  const onAbort = (): void => stop({ by: 'abort', reason: signal?.reason })
  const onTimeout = (): void =>
    stop({ by: 'batch_timeout', reason: timeoutError('The batch ran out of time.') })
  const clearTimer = batchTimeoutMs === undefined ? undefined : host.after(batchTimeoutMs, onTimeout)
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

/** Has the name that `AbortSignal.timeout` uses, so that a handler can distinguish it from a cancellation. */
export function timeoutError(message: string): Error {
  const error = new Error(message)
  error.name = 'TimeoutError'
  return error
}

export type ScopeEnd =
  | Stop
  | { readonly by: 'deadline'; readonly milliseconds: number; readonly reason: unknown }

type Settled<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'ended'; readonly end: ScopeEnd }

export interface Scope {
  readonly signal: Signal
  /** False once the call has ended or its scope is closed. */
  readonly open: boolean
  /** Runs the work and waits until it settles or the call ends. Never rejects. */
  settle<T>(work: () => T | PromiseLike<T>): Promise<Settled<T>>
  pause(milliseconds: number): Promise<Settled<void>>
  /** Ends the call after the delay, unless the returned function is called first. */
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
  const finish = (cause: ScopeEnd): void => {
    if (!open) return
    end = cause
    close()
    // First the outcome, then the abort: a handler that reacts to the abort can no longer change the outcome.
    onEnd?.(cause)
    controller.abort(cause.reason)
  }
  const stopListening = batch.onStop(finish)

  const settle = <T>(work: () => T | PromiseLike<T>): Promise<Settled<T>> =>
    new Promise(resolve => {
      const ended = end ?? batch.stopped
      if (ended !== undefined) return resolve({ type: 'ended', end: ended })
      onEnd = cause => resolve({ type: 'ended', end: cause })
      // Wrapped in a native promise, because a foreign thenable may settle twice or throw.
      new Promise<T>(start => start(work())).then(
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
