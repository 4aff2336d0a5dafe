/** Looks after the store of a running gateway, and reports what is wrong with it once, not again and again. */
import type { Store } from '../../store/store.ts'
import type { Environment } from './environment.ts'

/** Work of a gateway that died is ended, and deleted text erased, within this time. */
const maintainEveryMs = 2_000
const sweepEveryMs = 5 * 60_000

/** Returns what ends it. */
export function keepUp(
  store: Store,
  { every, date }: Pick<Environment, 'every' | 'date'>,
  tell: (line: string) => void,
): () => void {
  const maintain = reporting('maintained', () => store.maintain(), tell)
  const sweep = reporting('swept', () => store.sweep(date()), tell)
  const stops = [every(maintainEveryMs, maintain), every(sweepEveryMs, sweep)]
  return () => {
    for (const stop of stops) stop()
  }
}

function reporting(done: string, act: () => Promise<unknown>, tell: (line: string) => void): () => void {
  let isRunning = false
  let last = ''
  const report = (reason: string): void => {
    if (reason !== '' && reason !== last) tell(`The store could not be ${done}: ${reason}`)
    last = reason
  }
  return () => {
    if (isRunning) return
    isRunning = true
    act()
      .then(
        () => report(''),
        (error: unknown) => report(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        isRunning = false
      })
  }
}
