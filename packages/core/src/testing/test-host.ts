/**
 * A platform whose clock stands still until a test moves it, so that timeouts, retries and schedules are tested
 * without waiting and always run the same way.
 */
import { host as platformHost } from '../platform.ts'
import type { Abort, Host } from '../runtime/host.ts'
import { createRandom } from './random.ts'

export interface TestHost extends Host {
  /** Moves the clock, and lets everything happen that is due on the way, in order. */
  advance(milliseconds: number): Promise<void>
  /** Moves the clock until no timer waits any more. */
  runAll(): Promise<void>
  /** Lets everything happen that waits for no timer. */
  settle(): Promise<void>
  /** How many timers wait. */
  readonly timers: number
  /** How many listeners wait on signals of this host. One that has gone off, or whose signal has, waits no more. */
  readonly listeners: number
}

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** A test that sets so many timers sets them without end. */
const mostTimers = 100_000

export function createTestHost({ seed = 1 }: { readonly seed?: number } = {}): TestHost {
  let now = 0
  let ids = 0
  const timers = new Set<Timer>()
  const watch = createListenerWatch()

  /** Of timers that are due together, the one that was set first. */
  const nextTimer = (): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.due < first.due) first = timer
    return first
  }

  const fireUntil = async (end: number): Promise<void> => {
    await nextTask()
    for (let fired = 0; fired < mostTimers; fired++) {
      const timer = nextTimer()
      if (timer === undefined || timer.due > end) return
      timers.delete(timer)
      now = Math.max(now, timer.due)
      timer.callback()
      await nextTask()
    }
    throw new Error(
      `${mostTimers} timers have gone off and more are waiting: something sets them without end.`,
    )
  }

  return {
    now: () => now,
    random: createRandom(seed),
    newId: prefix => `${prefix}${++ids}`,
    after(milliseconds, callback) {
      const timer = { due: now + Math.max(0, milliseconds), callback }
      // Like a platform's own: what lies at infinity never goes off.
      if (timer.due < Number.POSITIVE_INFINITY) timers.add(timer)
      return () => void timers.delete(timer)
    },
    createAbort: () => watch.over(platformHost.createAbort()),
    async advance(milliseconds) {
      const end = now + milliseconds
      await fireUntil(end)
      now = Math.max(now, end)
    },
    runAll: () => fireUntil(Number.POSITIVE_INFINITY),
    settle: () => nextTask(),
    get timers() {
      return timers.size
    },
    get listeners() {
      return watch.count()
    },
  }
}

type Listen = (type: string, listener: unknown, options?: unknown) => void

/** Counts by standing before the signal's own methods, so that it stays a signal that `fetch` takes. */
function createListenerWatch(): { over(abort: Abort): Abort; count(): number } {
  const waiting = new Set<Set<unknown>>()
  const over = (abort: Abort): Abort => {
    const signal = abort.signal as unknown as { addEventListener: Listen; removeEventListener: Listen }
    const listeners = new Set<unknown>()
    waiting.add(listeners)
    const add: Listen = signal.addEventListener.bind(signal)
    const remove: Listen = signal.removeEventListener.bind(signal)
    add('abort', () => waiting.delete(listeners))
    signal.addEventListener = (type, listener, options) => {
      if (type === 'abort') listeners.add(listener)
      add(type, listener, options)
    }
    signal.removeEventListener = (type, listener, options) => {
      listeners.delete(listener)
      remove(type, listener, options)
    }
    return abort
  }
  const count = (): number => [...waiting].reduce((sum, listeners) => sum + listeners.size, 0)
  return { over, count }
}

type Schedule = (callback: () => void, milliseconds?: number) => unknown

// Taken when this module is loaded: a test that replaces the global timers must not stop this clock.
const runtime = globalThis as unknown as { setImmediate?: Schedule; setTimeout: Schedule }
const schedule: Schedule = runtime.setImmediate ?? runtime.setTimeout

/** All promises that can go on have gone on when the platform comes to its next task. */
function nextTask(): Promise<void> {
  return new Promise(resolve => void schedule(resolve))
}
