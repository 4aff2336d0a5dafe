/**
 * Limits how long a client may read nothing: then its connection is cut, so that everything that waits for it is freed.
 * However many wait for a client, the server gets one drain listener. Long texts are made only as the client reads.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock, Deadline } from '../../platform/clock.ts'
import { createDeadline } from '../../platform/clock.ts'
import type { HeaderMap, Sink } from './contract.ts'

export interface StallTimeoutOptions {
  readonly clock: Clock
  readonly stallMs: number
  /** Called before the connection is cut. */
  onStall(): void
}

/** A sink that takes texts which are not there yet. */
export interface ClientSink extends Sink {
  /** Makes and writes one piece after the other, as the client reads on. Whatever is written next comes after them. */
  writePieces?(pieces: Iterable<string>): boolean
  /** `undefined`: all pieces have been written. Otherwise resolves when they have been, or when nobody wants them. */
  whenWritten?(signal: SignalLike): Promise<void> | undefined
}

export class StallTimeoutSink implements ClientSink {
  readonly #sink: Sink
  readonly #options: StallTimeoutOptions
  #limit: Deadline | undefined
  #seen: number | undefined
  #isBegun = false
  #isEnded = false
  #isGone = false
  #callbacks: (() => void)[] = []
  #onFlushed: (() => void) | undefined
  /** What is still to be made and written, where the client is slower. */
  #rest: Iterator<string | Uint8Array>[] = []
  #onWritten: (() => void) | undefined

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
    if (this.#rest.length === 0) return this.#put(chunk)
    this.#rest.push([chunk].values())
    return false
  }

  writePieces(pieces: Iterable<string>): boolean {
    if (this.#isEnded || this.#isGone) return true
    if (this.#rest.push(pieces[Symbol.iterator]()) > 1) return false
    return this.#writeRest()
  }

  whenWritten(signal: SignalLike): Promise<void> | undefined {
    if (this.#rest.length === 0) return undefined
    const onAbort = (): void => {
      // What is not complete must not look so.
      this.leave()
      this.#sink.cut?.()
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    return new Promise(resolve => {
      this.#onWritten = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      if (this.#isGone) this.#onWritten()
    })
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
    this.#rest = []
    this.#onWritten?.()
    this.#release()
  }

  /** What comes after this is nobody's. */
  cut(): void {
    this.#isEnded = true
    this.leave()
    this.#sink.cut?.()
  }

  #hold(): void {
    if (this.#limit !== undefined || this.#isGone) return
    this.#watch()
    const isLast = this.#isEnded
    this.#sink.onDrain(() => {
      // After `end()` only the final flush counts as a drain.
      if (isLast !== this.#isEnded) return
      this.#release()
      if (this.#writeRest()) for (const callback of this.#callbacks.splice(0)) callback()
    })
  }

  #put(chunk: string | Uint8Array): boolean {
    const isTaken = this.#sink.write(chunk)
    if (!isTaken) this.#hold()
    return isTaken
  }

  /** Whether everything has been written, and more can be. */
  #writeRest(): boolean {
    for (let [next] = this.#rest; next !== undefined; [next] = this.#rest) {
      const { done, value } = next.next()
      if (done === true) this.#rest.shift()
      else if (!this.#put(value)) return false
    }
    this.#onWritten?.()
    this.#onWritten = undefined
    return true
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
