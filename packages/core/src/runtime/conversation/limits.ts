/** What ends a conversation from outside: the caller's signal and the clock. */
import { timeoutReason } from '../calls/batch.ts'
import type { Host, Signal, SignalLike } from '../host.ts'

export interface Limits {
  /** Aborted by either; everything the conversation starts hears of it. */
  readonly signal: Signal
  readonly stopped: 'aborted' | 'timeout' | undefined
  /** Lets go of the caller's signal and of the timer. */
  close(): void
}

export function openLimits(
  host: Host,
  { signal, timeoutMs }: { signal?: Signal | SignalLike; timeoutMs?: number },
): Limits {
  const abort = host.createAbort()
  let stopped: Limits['stopped']
  const stop = (why: NonNullable<Limits['stopped']>, reason: unknown): void => {
    stopped ??= why
    abort.abort(reason)
  }
  const onAbort = (): void => stop('aborted', signal?.reason)
  const clear =
    timeoutMs === undefined
      ? undefined
      : host.after(timeoutMs, () =>
          stop('timeout', timeoutReason(`The conversation took over ${timeoutMs} ms.`)),
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
