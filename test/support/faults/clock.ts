/** A clock for the gateway that only moves when a test advances it. */
import { createTestHost } from '@toolwire/core/testing'
import type { Clock } from '../../../packages/toolwire/src/platform/clock.ts'

export const startOfTime = 1_700_000_000_000

export interface ManualClock extends Clock {
  /** Advances the clock and runs the timers that are due. */
  advance(milliseconds: number): Promise<void>
  /** Runs everything that does not wait for a timer. */
  settle(): Promise<void>
  /** The number of pending timers. */
  readonly timers: number
}

export function createManualClock(start = startOfTime): ManualClock {
  const host = createTestHost()
  return {
    now: host.now,
    date: () => start + host.now(),
    after: host.after,
    advance: host.advance,
    async settle() {
      // Some operations take several tasks, such as reading the body of a web request.
      for (let task = 0; task < 5; task++) await host.settle()
    },
    get timers() {
      return host.timers
    },
  }
}
