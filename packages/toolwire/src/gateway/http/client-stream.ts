/**
 * The client's end of a stream. The head is sent with the first text, so that until then a failure has a status and another
 * upstream can be asked. After that, a heartbeat is sent when nothing comes for long; a slow client makes the upstream wait.
 */
import type { SignalLike } from '@toolwire/core'
import type { StreamFrames } from '@toolwire/core/wires'
import type { Clock } from '../../platform/clock.ts'
import type { HeaderMap } from './contract.ts'
import type { ClientSink } from './stall-timeout-sink.ts'

export interface ClientStreamOptions {
  readonly sink: ClientSink
  readonly clock: Clock
  readonly heartbeatMs: number
  /** Of the client's wire. */
  readonly frames: StreamFrames
  /** Called when the head is sent, as late as possible. */
  readonly headers: () => HeaderMap
  /** Gets all headers that are sent. */
  readonly onHead?: (headers: HeaderMap) => void
  /** `bytes`: those of the upstream that the text was, if it was not changed. Their memory may have been used again. */
  readonly onWrite?: (text: string, bytes?: Uint8Array) => void
  /** Texts that are put in where `\0index\0` stands: see `Exchange.stream`. */
  readonly longTexts?: readonly Iterable<string>[]
}

const none: readonly Iterable<string>[] = []

export class ClientStream {
  readonly #options: ClientStreamOptions
  #ended = false
  #blocked = false
  #lastWrite: number
  #cancel: (() => void) | undefined
  /** When the head and the first text were sent. */
  firstByteAt: number | undefined = undefined

  constructor(options: ClientStreamOptions) {
    this.#options = options
    this.#lastWrite = options.clock.now()
  }

  /** Whether the head has been sent, so that a failure must be reported inside the stream. */
  get begun(): boolean {
    return this.firstByteAt !== undefined
  }

  /** Sends the head now, where nothing can fail any more that would need a status. */
  open(): void {
    this.#begin()
  }

  /** `false`: hold the upstream until `onDrain`. `bytes`: see `onWrite`. */
  write(text: string, bytes?: Uint8Array): boolean {
    if (this.#ended || text === '') return true
    const { longTexts = none } = this.#options
    this.#begin()
    return longTexts.length === 0 ? this.#send(text, bytes) : this.#sendPieces(text, longTexts)
  }

  onDrain(callback: () => void): void {
    this.#options.sink.onDrain(callback)
  }

  /** Returns a promise if the client has yet to read on before the end can be written. */
  end(signal?: SignalLike): Promise<void> | undefined {
    if (this.#ended) return undefined
    const { sink } = this.#options
    this.#begin()
    this.abandon()
    const written = signal && sink.whenWritten?.(signal)
    if (written !== undefined) return written.then(() => sink.end())
    sink.end()
    return undefined
  }

  /** The request was answered in another way. */
  abandon(): undefined {
    this.#ended = true
    this.#cancel?.()
  }

  #begin(): void {
    if (this.firstByteAt !== undefined) return
    const { clock, sink, headers, onHead, frames, heartbeatMs } = this.#options
    this.firstByteAt = clock.now()
    this.#lastWrite = this.firstByteAt
    if (heartbeatMs > 0) this.#cancel = clock.after(heartbeatMs, () => this.#beat())
    const all = {
      'content-type': `${frames.contentType}; charset=utf-8`,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers(),
    }
    onHead?.(all)
    sink.head(200, all)
  }

  #send(text: string, bytes?: Uint8Array): boolean {
    this.#options.onWrite?.(text, bytes)
    return this.#note(this.#options.sink.write(text))
  }

  #note(isTaken: boolean): boolean {
    const { clock, sink } = this.#options
    this.#lastWrite = clock.now()
    this.#blocked = !isTaken
    if (this.#blocked) {
      sink.onDrain(() => {
        this.#blocked = false
      })
    }
    return !this.#blocked
  }

  /** Put together, they would be there once more for each time that they are repeated. */
  #sendPieces(text: string, longTexts: readonly Iterable<string>[]): boolean {
    const { sink, onWrite } = this.#options
    const pieces = piecesOf(text, longTexts, onWrite)
    if (sink.writePieces !== undefined) return this.#note(sink.writePieces(pieces))
    let isTaken = true
    for (const piece of pieces) isTaken = sink.write(piece)
    return this.#note(isTaken)
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

function* piecesOf(
  text: string,
  longTexts: readonly Iterable<string>[],
  onWrite: ClientStreamOptions['onWrite'],
): Generator<string> {
  for (const [at, piece] of text.split('\0').entries()) {
    for (const written of at % 2 === 0 ? [piece] : (longTexts[Number(piece)] ?? [])) {
      if (written === '') continue
      onWrite?.(written)
      yield written
    }
  }
}
