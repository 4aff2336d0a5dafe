/** The body of a streamed answer: chunks one by one, and an end that may be a failure or never come. */
import type { SignalLike } from '../runtime/host.ts'
import type { Ending } from './faults.ts'
import { web } from './web.ts'

/** What a lost connection looks like to whoever waits for it; `fetch` fails with a TypeError too. */
export class ConnectionError extends TypeError {
  override readonly name: string = 'ConnectionError'
}

type Chunk = string | Uint8Array

export interface BodyStream extends AsyncIterableIterator<Chunk> {
  return(): Promise<IteratorResult<Chunk>>
}

const done: IteratorResult<Chunk> = Object.freeze({ done: true, value: undefined })

/**
 * Written by hand because a generator that waits cannot be left: its `return` would wait as well, and a reader
 * of a stalled stream must be able to go.
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

/** Waits for the abort, or for `other`; says whether it was the abort. Leaves no listener behind. */
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

/** The same as a web stream of bytes, for the body of a `Response`. */
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
    // Nothing is read ahead, so that a fault happens where the script says it does.
    { highWaterMark: 0 },
  )
}
