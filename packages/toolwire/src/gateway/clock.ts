/** Time for the gateway, handed in so that a test can hold it. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Milliseconds since 1970. */
  date(): number
  /** Calls back once unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The platform counts in 32 bits, and a timer that is set for longer goes off at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout | undefined
    const wait = (left: number): void => {
      const now = Math.min(left, longestTimer)
      timer = setTimeout(() => (left > now ? wait(left - now) : callback()), now)
    }
    if (milliseconds < Number.POSITIVE_INFINITY) wait(milliseconds)
    return () => clearTimeout(timer)
  },
}

/** A deadline that is put off by saying `touch`, which costs no timer. */
export interface Deadline {
  touch(): void
  /** Until `resume`, time does not count. */
  pause(): void
  resume(): void
  stop(): void
}

/** A length of 0 means no deadline. */
export function createDeadline(clock: Clock, milliseconds: number, onOver: () => void): Deadline {
  if (milliseconds <= 0) return { touch: () => {}, pause: () => {}, resume: () => {}, stop: () => {} }
  let last = clock.now()
  let pausedAt: number | undefined
  let cancel = clock.after(milliseconds, check)
  function check(): void {
    const left = last + milliseconds - (pausedAt ?? clock.now())
    if (left <= 0) onOver()
    else cancel = clock.after(left, check)
  }
  return {
    touch() {
      last = clock.now()
      if (pausedAt !== undefined) pausedAt = last
    },
    pause() {
      pausedAt ??= clock.now()
    },
    resume() {
      if (pausedAt !== undefined) last += clock.now() - pausedAt
      pausedAt = undefined
    },
    stop: () => cancel(),
  }
}
