/**
 * The client's end of a stream. The head is sent with the first text, or with a heartbeat when nothing comes for long; a
 * slow client makes the upstream wait.
 */
import type { StreamFrames } from '@toolwire/core/wires'
import type { Clock } from '../../platform/clock.ts'
import type { HeaderMap, Sink } from './contract.ts'

export interface ClientStreamOptions {
  readonly sink: Sink
  readonly clock: Clock
  readonly heartbeatMs: number
  /** Of the client's wire. */
  readonly frames: StreamFrames
  /** Called when the head is sent, as late as possible. */
  readonly headers: () => HeaderMap
  readonly onWrite?: (text: string) => void
  /** Texts that are put in where `\0index\0` stands: see `Exchange.stream`. */
  readonly longTexts?: readonly string[]
}

const none: readonly string[] = []

export class ClientStream {
  readonly #options: ClientStreamOptions
  #ended = false
  #blocked = false
  #lastWrite: number
  #cancel: (() => void) | undefined
  /** When the head and the first text were sent. */
  firstByteAt: number | undefined = undefined

  constructor(options: ClientStreamOptions) {
    const { clock, heartbeatMs } = options
    this.#options = options
    this.#lastWrite = clock.now()
    if (heartbeatMs > 0) this.#cancel = clock.after(heartbeatMs, () => this.#beat())
  }

  /** Whether the head has been sent, so that a failure must be reported inside the stream. */
  get begun(): boolean {
    return this.firstByteAt !== undefined
  }

  /** `false`: hold the upstream until `onDrain`. */
  write(text: string): boolean {
    if (this.#ended || text === '') return true
    const { longTexts = none } = this.#options
    return longTexts.length === 0 ? this.#send(text) : this.#sendPieces(text, longTexts)
  }

  onDrain(callback: () => void): void {
    this.#options.sink.onDrain(callback)
  }

  end(): void {
    if (this.#ended) return
    this.#begin()
    this.#ended = true
    this.#cancel?.()
    this.#options.sink.end()
  }

  /** The request was answered in another way. */
  abandon(): void {
    this.#ended = true
    this.#cancel?.()
  }

  #begin(): void {
    if (this.firstByteAt !== undefined) return
    const { clock, sink, headers, frames } = this.#options
    this.firstByteAt = clock.now()
    sink.head(200, {
      'content-type': `${frames.contentType}; charset=utf-8`,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers(),
    })
  }

  #send(text: string): boolean {
    this.#begin()
    const { clock, sink, onWrite } = this.#options
    this.#lastWrite = clock.now()
    onWrite?.(text)
    this.#blocked = !sink.write(text)
    if (this.#blocked) {
      sink.onDrain(() => {
        this.#blocked = false
      })
    }
    return !this.#blocked
  }

  /** Put together, they would be there once more for each time that they are repeated. */
  #sendPieces(text: string, longTexts: readonly string[]): boolean {
    let isTaken = true
    for (const [at, piece] of text.split('\0').entries()) {
      const written = at % 2 === 0 ? piece : (longTexts[Number(piece)] ?? '')
      if (written !== '') isTaken = this.#send(written)
    }
    return isTaken
  }

  #beat(): void {
    if (this.#ended) return
    const { clock, heartbeatMs, frames } = this.#options
    const quiet = clock.now() - this.#lastWrite
    // A client that is not reading needs no sign of life.
    if (quiet >= heartbeatMs && !this.#blocked) this.#send(frames.keepAlive)
    const left = heartbeatMs - (clock.now() - this.#lastWrite)
    this.#cancel = clock.after(left > 0 ? left : heartbeatMs, () => this.#beat())
  }
}
