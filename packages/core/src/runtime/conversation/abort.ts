/** Ends work from outside: by the caller's signal or, for a conversation, by its timeout. */
import { timeoutError } from '../calls/call-scope.ts'
import type { Host, Signal, SignalLike } from '../host.ts'

/**
 * Rejects at once when the signal aborts, even if the work ignores the signal. The work then continues, but its result
 * or rejection is ignored.
 */
export async function untilAborted<T>(work: T | PromiseLike<T>, signal: SignalLike | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => {
      signal.removeEventListener('abort', stop)
      reject(abortReason(signal))
    }
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V): void => {
        signal.removeEventListener('abort', stop)
        done(value)
      }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    Promise.resolve(work).then(settle(resolve), settle(reject))
  })
}

export function abortReason({ reason }: SignalLike): unknown {
  return reason ?? new Error('The conversation was aborted.')
}

export interface Limits {
  /** Aborted by the caller's signal or by the timeout; passed to everything the conversation starts. */
  readonly signal: Signal
  readonly stopped: 'aborted' | 'timeout' | undefined
  /** Removes the listener from the caller's signal and clears the timer. */
  close(): void
}

export function openLimits(
  host: Host,
  { signal, timeoutMs }: { signal?: Signal | SignalLike; timeoutMs?: number },
): Limits {
  const abort = host.createAbort()
  let stopped: Limits['stopped']
  const stop = (cause: NonNullable<Limits['stopped']>, reason: unknown): void => {
    stopped ??= cause
    abort.abort(reason)
  }
  const onAbort = (): void => stop('aborted', signal?.reason)
  const clear =
    timeoutMs === undefined
      ? undefined
      : host.after(timeoutMs, () =>
          stop('timeout', timeoutError(`The conversation took over ${timeoutMs} ms.`)),
        )
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort)
  return {
    signal: abort.signal,
    get stopped() {
      return stopped
    },
    close() {
      signal?.removeEventListener('abort', onAbort)
      clear?.()
    },
  }
}
