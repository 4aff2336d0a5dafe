/** The body of a streamed answer: its chunks, and an end that may be a failure or never come. */
import type { SignalLike } from '../runtime/host.ts'
import type { Ending } from './faults.ts'
import { web } from './web.ts'

/** A lost connection. A `TypeError`, as `fetch` throws it. */
export class ConnectionError extends TypeError {
  override readonly name: string = 'ConnectionError'
}

type Chunk = string | Uint8Array

export interface BodyStream extends AsyncIterableIterator<Chunk> {
  return(): Promise<IteratorResult<Chunk>>
}

const done: IteratorResult<Chunk> = Object.freeze({ done: true, value: undefined })

/**
 * Not a generator: `return` of a generator waits for its pending `next`, and a reader must be able to leave a stalled
 * stream.
 */
export function createBodyStream(
  chunks: readonly Chunk[],
  ending: Ending,
  signal: SignalLike | undefined,
): BodyStream {
  let at = 0
  let isOver = false
  let leave: (() => void) | undefined

  const fail = (reason: unknown): never => {
    isOver = true
    throw reason
  }

  const stalled = async (): Promise<IteratorResult<Chunk>> => {
    const left = new Promise<void>(resolve => {
      const earlier = leave
      leave = () => {
        earlier?.()
        resolve()
      }
    })
    const aborted = await untilAborted(signal, left)
    return aborted ? fail(signal?.reason) : done
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (isOver) return done
      if (signal?.aborted) return fail(signal.reason)
      const chunk = chunks[at++]
      if (chunk !== undefined) return { done: false, value: chunk }
      if (ending === 'stall') return stalled()
      if (ending === 'reset') return fail(new ConnectionError('The connection was reset in mid-answer.'))
      isOver = true
      return done
    },
    async return() {
      isOver = true
      leave?.()
      return done
    },
  }
}

/** Waits for the abort or for `other`, and returns whether it was the abort. Removes its listener. */
export async function untilAborted(
  signal: SignalLike | undefined,
  other: Promise<void> = new Promise(() => {}),
): Promise<boolean> {
  if (signal === undefined) return other.then(() => false)
  if (signal.aborted) return true
  let onAbort = (): void => {}
  const aborted = new Promise<boolean>(resolve => {
    onAbort = () => resolve(true)
    signal.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([aborted, other.then(() => false)])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The stream as a web stream of bytes, for the body of a `Response`. */
export function toWebStream(stream: BodyStream): object {
  const encoder = new web.TextEncoder()
  let isCancelled = false
  return new web.ReadableStream(
    {
      async pull(controller) {
        try {
          const { done: isDone, value } = await stream.next()
          if (isCancelled) return
          if (isDone) controller.close()
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        } catch (reason) {
          controller.error(reason)
        }
      },
      cancel() {
        isCancelled = true
        void stream.return()
      },
    },
    // Without reading ahead, so that a fault happens at its event.
    { highWaterMark: 0 },
  )
}
