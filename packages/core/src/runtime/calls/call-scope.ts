/**
 * The life of one call. Whatever runs in it, a handler or a validator, is waited for only until the call ends:
 * by its own deadline or with the whole batch. What settles after that is ignored.
 */

import type { Host, Signal } from '../host.ts'
import { type Batch, timeoutReason } from './batch.ts'
import type { Stop } from './failure.ts'

export type End = Stop | { readonly by: 'deadline'; readonly milliseconds: number; readonly reason: unknown }

type Settled<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'ended'; readonly end: End }

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
  let end: End | undefined
  let open = true
  let onEnd: ((end: End) => void) | undefined

  const close = (): void => {
    open = false
    stopListening()
    for (const clear of clears) clear()
    clears.clear()
  }
  const finish = (why: End): void => {
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
        const reason = timeoutReason(`The call did not finish within ${milliseconds} ms.`)
        finish({ by: 'deadline', milliseconds, reason })
      }),
    close,
  }
}
