/** A clock for the gateway that only moves when a test advances it. */
import { createTestHost } from '@toolwire/core/testing'
import type { Clock } from '../../../packages/toolwire/src/platform/clock.ts'

export const startOfTime = 1_700_000_000_000

export interface HeldClock extends Clock {
  /** Moves the clock, and lets everything happen that is due on the way. */
  advance(milliseconds: number): Promise<void>
  /** Lets everything happen that waits for no timer. */
  settle(): Promise<void>
  /** How many timers wait. */
  readonly timers: number
}

export function createHeldClock(): HeldClock {
  const host = createTestHost()
  return {
    now: host.now,
    date: () => startOfTime + host.now(),
    after: host.after,
    advance: host.advance,
    async settle() {
      // Some of what happens takes several tasks, such as reading the body of a web request.
      for (let task = 0; task < 5; task++) await host.settle()
    },
    get timers() {
      return host.timers
    },
  }
}
