/**
 * Limits how long a client may read nothing: then its connection is cut, so that everything that waits for it is freed.
 * However many wait for a client, the server gets one drain listener.
 */
import type { Clock, Deadline } from '../../platform/clock.ts'
import { createDeadline } from '../../platform/clock.ts'
import type { HeaderMap, Sink } from './contract.ts'

export interface StallTimeoutOptions {
  readonly clock: Clock
  readonly stallMs: number
  /** Called before the connection is cut. */
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
  #onFlushed: (() => void) | undefined

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

  /** Calls back once the client has read everything or has gone. Only at the end: after `end()`, or instead of it. */
  onFlushed(callback: () => void): void {
    if (this.#limit === undefined) callback()
    else this.#onFlushed = callback
  }

  /** The client has gone, so there is nothing left to watch. */
  leave(): void {
    this.#isGone = true
    this.#release()
  }

  #hold(): void {
    if (this.#limit !== undefined || this.#isGone) return
    this.#watch()
    const isLast = this.#isEnded
    this.#sink.onDrain(() => {
      // After `end()` only the final flush counts as a drain.
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
    // Where the server knows how much is buffered, a client that reads slowly is not a client that reads nothing.
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
    this.#onFlushed?.()
    this.#onFlushed = undefined
  }
}
