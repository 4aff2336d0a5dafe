/**
 * The time by which expired records may be deleted. A system clock can jump: a machine that wakes up, a battery that is
 * empty, a mistake. What a wrong clock deletes does not come back, so a jump ahead counts only after it has lasted for a
 * day of running. Time that goes back counts at once: it deletes nothing.
 */

/** What a store remembers between two runs. */
export interface TrustedMoment {
  readonly at: number
  /** For how many milliseconds of running the system clock has been ahead. */
  readonly doubtMs: number
}

const hour = 3_600_000
/** How much further the system clock may move than the time that passed. */
const toleranceMs = hour
/** How long a store may have been closed without doubt: nobody measured that time. */
const closedMs = 7 * 24 * hour
const confirmMs = 24 * hour

export class TrustedTime {
  readonly #elapsed: () => number
  #at: number
  #doubtMs = 0
  #measured: number

  /** `elapsed` is a clock that never jumps. `last` is what the store remembers. */
  constructor(wall: number, elapsed: () => number, last?: TrustedMoment) {
    this.#elapsed = elapsed
    this.#measured = elapsed()
    const isDoubtful = last !== undefined && wall > last.at + closedMs
    this.#at = isDoubtful ? last.at : wall
    if (isDoubtful) this.#doubtMs = last.doubtMs
  }

  /** The time to delete by, when the system clock shows `wall`. */
  observe(wall: number): number {
    const measured = this.#elapsed()
    const passed = Math.max(0, measured - this.#measured)
    this.#measured = measured
    const expected = this.#at + passed
    this.#doubtMs = wall > expected + toleranceMs ? this.#doubtMs + passed : 0
    const isTrusted = wall <= expected + toleranceMs || this.#doubtMs >= confirmMs
    if (isTrusted) this.#doubtMs = 0
    this.#at = isTrusted ? wall : expected
    return this.#at
  }

  get moment(): TrustedMoment {
    return { at: this.#at, doubtMs: this.#doubtMs }
  }
}
