/** Waiting that an abort ends at once, whatever the thing waited for does with its signal. */
import type { SignalLike } from './host.ts'

/** What was waited for goes on unheard after an abort: whatever becomes of it later harms nobody. */
export function untilAborted<T>(work: PromiseLike<T>, signal: SignalLike): Promise<T> {
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
    work.then(settle(resolve), settle(reject))
  })
}

export function abortReason({ reason }: SignalLike): unknown {
  return reason ?? new Error('The conversation was aborted.')
}
