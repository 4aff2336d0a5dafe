/**
 * The client's end of a stream. The head goes out with the first words, or with a heartbeat when there is nothing to
 * say for long; a slow client makes the upstream wait.
 */
import type { Clock } from './clock.ts'
import type { Headers, Sink } from './contract.ts'

export interface ClientStream {
  /** `false`: hold the upstream until `onDrain`. */
  write(text: string): boolean
  onDrain(callback: () => void): void
  end(): void
  /** Nothing will be said: the request was answered in another way. */
  abandon(): void
  /** Whether the head has been sent, so that a failure must be told inside the stream. */
  readonly begun: boolean
  readonly firstByteAt: number | undefined
}

export interface ClientStreamOptions {
  readonly sink: Sink
  readonly clock: Clock
  readonly heartbeatMs: number
  /** Asked for when the head is sent, as late as possible. */
  readonly headers: () => Headers
  readonly onWrite?: (text: string) => void
}

export function createClientStream(options: ClientStreamOptions): ClientStream {
  const { sink, clock, heartbeatMs, headers, onWrite } = options
  let firstByteAt: number | undefined
  let ended = false
  let blocked = false
  let lastWrite = clock.now()

  const begin = (): void => {
    if (firstByteAt !== undefined) return
    firstByteAt = clock.now()
    sink.head(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers(),
    })
  }
  const give = (text: string): boolean => {
    begin()
    lastWrite = clock.now()
    onWrite?.(text)
    blocked = !sink.write(text)
    if (blocked) {
      sink.onDrain(() => {
        blocked = false
      })
    }
    return !blocked
  }
  // A client that does not even take what it was given needs no sign of life.
  const beat = (): void => {
    if (ended) return
    const quiet = clock.now() - lastWrite
    if (quiet >= heartbeatMs && !blocked) give(': keep-alive\n\n')
    const left = heartbeatMs - (clock.now() - lastWrite)
    cancel = clock.after(left > 0 ? left : heartbeatMs, beat)
  }
  let cancel = heartbeatMs > 0 ? clock.after(heartbeatMs, beat) : () => {}

  return {
    write: text => (ended || text === '' ? true : give(text)),
    onDrain: callback => sink.onDrain(callback),
    end() {
      if (ended) return
      begin()
      ended = true
      cancel()
      sink.end()
    },
    abandon() {
      ended = true
      cancel()
    },
    get begun() {
      return firstByteAt !== undefined
    },
    get firstByteAt() {
      return firstByteAt
    },
  }
}
