/**
 * Patience with slow clients, and its end: one that takes nothing for too long is cut off, so that what waits for it
 * is freed. However many wait for a client, the server is asked once.
 */
import type { Clock, Deadline } from '../../platform/clock.ts'
import { createDeadline } from '../../platform/clock.ts'
import type { HeaderMap, Sink } from './contract.ts'

export interface StallTimeoutOptions {
  readonly clock: Clock
  readonly stallMs: number
  /** Told before the client is cut off. */
  onStall(): void
}

export class StallTimeoutSink implements Sink {
  readonly #sink: Sink
  readonly #options: StallTimeoutOptions
  #limit: Deadline | undefined
  #seen: number | undefined
  #isBegun = false
  #isEnded = false
  #isGone = false
  #callbacks: (() => void)[] = []

  constructor(sink: Sink, options: StallTimeoutOptions) {
    this.#sink = sink
    this.#options = options
  }

  head(status: number, headers: HeaderMap): void {
    if (this.#isBegun) return
    this.#sink.head(status, headers)
    this.#isBegun = true
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#isEnded) return true
    const isTaken = this.#sink.write(chunk)
    if (!isTaken) this.#hold()
    return isTaken
  }

  end(chunk?: string | Uint8Array): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#sink.end(chunk)
    this.#release()
    if ((this.#sink.waiting ?? 0) > 0) this.#hold()
  }

  onDrain(callback: () => void): void {
    if (this.#limit === undefined) callback()
    else this.#callbacks.push(callback)
  }

  /** The client has gone: there is nobody left to be patient with. */
  leave(): void {
    this.#isGone = true
    this.#release()
  }

  #hold(): void {
    if (this.#limit !== undefined || this.#isGone) return
    this.#watch()
    const isLast = this.#isEnded
    this.#sink.onDrain(() => {
      // Once all has been given, it counts only that all has been taken.
      if (isLast !== this.#isEnded) return
      this.#release()
      for (const callback of this.#callbacks.splice(0)) callback()
    })
  }

  #watch(): void {
    const { clock, stallMs } = this.#options
    this.#seen = this.#sink.waiting
    this.#limit = createDeadline(clock, stallMs, () => this.#onSilence())
  }

  #onSilence(): void {
    // Where the server can tell, a client that takes little is not one that takes nothing.
    if (this.#sink.waiting !== this.#seen) this.#watch()
    else {
      this.leave()
      this.#options.onStall()
      this.#sink.cut?.()
    }
  }

  #release(): void {
    this.#limit?.stop()
    this.#limit = undefined
  }
}
