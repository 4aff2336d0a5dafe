import type { SignalLike } from '@toolwire/core'
import { reasonOf } from '../upstream/read-body.ts'

/** What the work gives, unless the exchange is given up before. The work itself cannot be stopped, only left alone. */
export function unlessAborted<T>(signal: SignalLike, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal))
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
