/**
 * How much is worked on in one turn of the event loop, where several keys share it. What does not fit waits for one of the
 * next turns, in which owners take turns; so however much one owner sends at once, another waits for a few steps only. A
 * turn has as many steps as a short time is enough for, because steps differ by far.
 */
import type { Clock } from '../../platform/clock.ts'

/** How long a turn should take. Shorter ones would cost more than they bring: each asks the system what has arrived. */
const turnMs = 2
const mostSteps = 64
const firstSteps = 16

type Step = () => void

export class Turns {
  readonly #clock: Pick<Clock, 'now'>
  readonly #nextTurn: (callback: () => void) => void
  /** By owner, in the order of their turns; whoever has had a step comes last. */
  readonly #queues = new Map<string, Step[]>()
  /** The steps of a turn, and those that are left of this one. */
  #steps = firstSteps
  #left = firstSteps
  #isScheduled = false
  /** When this turn began, if steps were waiting then. */
  #begunAt: number | undefined

  constructor(clock: Pick<Clock, 'now'>, nextTurn: (callback: () => void) => void = setImmediate) {
    this.#clock = clock
    this.#nextTurn = nextTurn
  }

  /** Takes the step at once, if there is room in this turn, and returns whether it did. */
  run(owner: string, step: Step): boolean {
    this.#schedule()
    if (this.#left > 0 && this.#queues.size === 0) {
      this.#left--
      step()
      return true
    }
    const queue = this.#queues.get(owner)
    if (queue === undefined) this.#queues.set(owner, [step])
    else queue.push(step)
    return false
  }

  /** `undefined`: go on at once. */
  enter(owner: string): Promise<void> | undefined {
    this.#schedule()
    if (this.#left > 0 && this.#queues.size === 0) {
      this.#left--
      return undefined
    }
    return new Promise(resolve => this.run(owner, resolve))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#nextTurn(this.#onTurn)
  }

  readonly #onTurn = (): void => {
    const now = this.#clock.now()
    if (this.#begunAt !== undefined) this.#adapt(now - this.#begunAt)
    this.#left = this.#steps
    for (; this.#left > 0; this.#left--) {
      const [turn] = this.#queues
      if (turn === undefined) break
      const [owner, queue] = turn
      const step = queue.shift()
      this.#queues.delete(owner)
      if (queue.length > 0) this.#queues.set(owner, queue)
      step?.()
    }
    this.#isScheduled = false
    this.#begunAt = this.#queues.size > 0 ? now : undefined
    if (this.#queues.size > 0) this.#schedule()
  }

  #adapt(tookMs: number): void {
    this.#steps = tookMs > turnMs ? Math.max(1, this.#steps >> 1) : Math.min(mostSteps, this.#steps + 1)
  }
}
