/**
 * A host whose clock moves only when the test says so. Timeouts, retries and schedules are tested without waiting, and
 * run the same way every time.
 */
import { refuseUnknownOptions } from '../json/known-options.ts'
import { host as platformHost } from '../platform.ts'
import type { Abort, Host } from '../runtime/host.ts'
import { createRandom } from './random.ts'

/** A platform whose time passes only when a test says so. */
export interface TestHost extends Host {
  /** Moves the clock and fires the timers that are due, in order. */
  advance(milliseconds: number): Promise<void>
  /** Moves the clock until there is no timer any more. */
  runAll(): Promise<void>
  /** Waits until all promises that depend on no timer have settled. */
  settle(): Promise<void>
  /** How many timers are pending. */
  readonly timers: number
  /** How many listeners are on signals of this host that have not aborted. */
  readonly listeners: number
}

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** More timers than this are taken for an endless loop. */
const mostTimers = 100_000

/** Makes a platform whose time passes only when a test says so. */
export function createTestHost(options: { readonly seed?: number } = {}): TestHost {
  refuseUnknownOptions('createTestHost', options, { seed: true })
  const { seed = 1 } = options
  let now = 0
  let ids = 0
  const timers = new Set<Timer>()
  const watch = createListenerWatch()

  /** The first timer that is due; of several at the same time, the one that was set first. */
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
    throw new Error(`${mostTimers} timers have fired and more are pending: something sets them without end.`)
  }

  return {
    now: () => now,
    random: createRandom(seed),
    newId: prefix => `${prefix}${++ids}`,
    after(milliseconds, callback) {
      const timer = { due: now + Math.max(0, milliseconds), callback }
      // As on a platform, a timer at infinity never fires.
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

/** Wraps the methods of the signal itself, because `fetch` accepts no other object for a signal. */
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

// Read when this module is loaded, because a test may replace the global timers later.
const runtime = globalThis as unknown as { setImmediate?: Schedule; setTimeout: Schedule }
const schedule: Schedule = runtime.setImmediate ?? runtime.setTimeout

/** When the platform starts its next task, all promises that can settle have settled. */
function nextTask(): Promise<void> {
  return new Promise(resolve => void schedule(resolve))
}
