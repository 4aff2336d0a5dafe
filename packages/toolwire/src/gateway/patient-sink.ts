/**
 * Patience with slow clients, and its end: one that takes nothing for too long is cut off, so that what waits for it
 * is freed. However many wait for a client, the server is asked once.
 */
import type { Clock, Deadline } from './clock.ts'
import { createDeadline } from './clock.ts'
import type { Sink } from './contract.ts'

export interface PatienceOptions {
  readonly clock: Clock
  readonly stallMs: number
  /** Told before the client is cut off. */
  onStall(): void
}

export interface PatientSink extends Sink {
  /** The client has gone: there is nobody left to be patient with. */
  leave(): void
}

export function createPatientSink(sink: Sink, { clock, stallMs, onStall }: PatienceOptions): PatientSink {
  let limit: Deadline | undefined
  let seen: number | undefined
  let isBegun = false
  let isEnded = false
  let isGone = false
  const callbacks: (() => void)[] = []

  const release = (): void => {
    limit?.stop()
    limit = undefined
  }
  const leave = (): void => {
    isGone = true
    release()
  }
  const watch = (): void => {
    seen = sink.waiting
    limit = createDeadline(clock, stallMs, onSilence)
  }
  const onSilence = (): void => {
    // Where the server can tell, a client that takes little is not one that takes nothing.
    if (sink.waiting !== seen) watch()
    else {
      leave()
      onStall()
      sink.cut?.()
    }
  }
  const hold = (): void => {
    if (limit !== undefined || isGone) return
    watch()
    const isLast = isEnded
    sink.onDrain(() => {
      // Once all has been given, it counts only that all has been taken.
      if (isLast !== isEnded) return
      release()
      for (const callback of callbacks.splice(0)) callback()
    })
  }

  return {
    head(status, headers) {
      if (isBegun) return
      sink.head(status, headers)
      isBegun = true
    },
    write(chunk) {
      if (isEnded) return true
      const isTaken = sink.write(chunk)
      if (!isTaken) hold()
      return isTaken
    },
    end(chunk) {
      if (isEnded) return
      isEnded = true
      sink.end(chunk)
      release()
      if ((sink.waiting ?? 0) > 0) hold()
    },
    onDrain(callback) {
      if (limit === undefined) callback()
      else callbacks.push(callback)
    },
    leave,
  }
}
