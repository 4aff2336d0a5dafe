/** The gateway's time, which tests replace by a clock of their own. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Milliseconds since 1970. */
  date(): number
  /** Calls back once unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The platform's timers have 32 bits, and one that is set for longer fires at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(milliseconds, callback) {
    if (!(milliseconds <= longestTimer)) return afterLong(milliseconds, callback)
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

function afterLong(milliseconds: number, callback: () => void): () => void {
  if (!(milliseconds < Number.POSITIVE_INFINITY)) return () => {}
  let cancel = systemClock.after(longestTimer, () => {
    cancel = systemClock.after(milliseconds - longestTimer, callback)
  })
  return () => cancel()
}

/** A deadline that `touch` postpones without making a new timer. */
export interface Deadline {
  touch(): void
  /** Postpones it too, but never beyond so many milliseconds after the last `touch`. */
  extend(mostMs: number): void
  /** How long ago the last `touch` was, without the time it was paused. */
  readonly sinceTouchMs: number
  /** Stops the time until `resume`. */
  pause(): void
  resume(): void
  stop(): void
}

/** A length of 0 means no deadline. */
export function createDeadline(clock: Clock, milliseconds: number, onOver: () => void): Deadline {
  return new ClockDeadline(clock, milliseconds, onOver)
}

class ClockDeadline implements Deadline {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #onOver: () => void
  /** When its length begins. */
  #last: number
  #touched: number
  #pausedAt: number | undefined
  #cancel: (() => void) | undefined

  constructor(clock: Clock, milliseconds: number, onOver: () => void) {
    this.#clock = clock
    this.#milliseconds = milliseconds
    this.#onOver = onOver
    this.#last = clock.now()
    this.#touched = this.#last
    if (milliseconds > 0) this.#wait(milliseconds)
  }

  touch(): void {
    this.#last = this.#clock.now()
    this.#touched = this.#last
    if (this.#pausedAt !== undefined) this.#pausedAt = this.#last
  }

  extend(mostMs: number): void {
    const latest = this.#touched + Math.max(0, mostMs - this.#milliseconds)
    this.#last = Math.min(this.#pausedAt ?? this.#clock.now(), latest)
  }

  get sinceTouchMs(): number {
    return (this.#pausedAt ?? this.#clock.now()) - this.#touched
  }

  pause(): void {
    this.#pausedAt ??= this.#clock.now()
  }

  resume(): void {
    if (this.#pausedAt !== undefined) {
      const paused = this.#clock.now() - this.#pausedAt
      this.#last += paused
      this.#touched += paused
    }
    this.#pausedAt = undefined
  }

  stop(): void {
    this.#cancel?.()
  }

  #wait(milliseconds: number): void {
    this.#cancel = this.#clock.after(milliseconds, () => {
      const left = this.#last + this.#milliseconds - (this.#pausedAt ?? this.#clock.now())
      if (left <= 0) this.#onOver()
      else this.#wait(left)
    })
  }
}

/** Tells waiting from working, so that the gateway's own share of an exchange can be measured. */
export class Stopwatch {
  waitedMs = 0
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  wait<T>(promise: Promise<T>): Promise<T>
  /** What is there already is not waited for. */
  wait<T>(found: T | Promise<T>): T | Promise<T>
  wait<T>(found: T | Promise<T>): T | Promise<T> {
    return found instanceof Promise ? this.#wait(found) : found
  }

  async #wait<T>(promise: Promise<T>): Promise<T> {
    const start = this.#now()
    try {
      return await promise
    } finally {
      this.waitedMs += this.#now() - start
    }
  }

  /** Takes off time that was spent working during a wait. */
  worked(milliseconds: number): void {
    this.waitedMs -= milliseconds
  }
}
