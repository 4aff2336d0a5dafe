/** Waiting that an abort ends at once, whatever the thing waited for does with its signal. */
import type { SignalLike } from '../host.ts'

/** What was waited for goes on unheard after an abort: whatever becomes of it later harms nobody. */
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
