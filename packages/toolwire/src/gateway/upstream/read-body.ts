/** The body of an upstream's answer to its end, watched by the idle deadline and the client's presence. */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../clock.ts'
import { createDeadline } from '../clock.ts'
import { clientGone, GatewayError } from '../gateway-error.ts'
import type { UpstreamAnswer } from './open-answer.ts'

export interface ReadOptions {
  readonly answer: UpstreamAnswer
  readonly clock: Clock
  readonly idleMs: number
  readonly signal: SignalLike
  /** The upstream's name, for errors. */
  readonly name: string
  /** How far the answer got, for errors: `12 events`. */
  progress(): string
  /**
   * What came since the last time, and whether it was a sign of life. May throw a `GatewayError` to end the reading, and may hold the upstream
   * until the client takes more; meanwhile its silence is no fault.
   */
  onData(chunks: readonly Uint8Array[], hold: (onDrain: OnDrain) => void): 'alive' | 'idle' | 'finished'
}

export type OnDrain = (callback: () => void) => void

/** How long an upstream may keep the line open after its last word. */
const graceMs = 250

/** Resolves at the end. Rejects with a `GatewayError` when it was cut off, fell silent, or the client has gone. */
export function readBody(options: ReadOptions): Promise<void> {
  const { answer, clock, idleMs, signal, name, progress, onData } = options
  return new Promise((resolve, reject) => {
    let over = false
    let held = false
    let cancelGrace: (() => void) | undefined
    const stop = (): boolean => {
      if (over) return false
      over = true
      idle.stop()
      cancelGrace?.()
      signal.removeEventListener('abort', onAbort)
      return true
    }
    const fail = (error: unknown): void => {
      if (!stop()) return
      answer.abort()
      reject(error)
    }
    // What has been said in full is not lost over what comes while the line is still open.
    const giveUp = (error: GatewayError): void => {
      if (cancelGrace !== undefined && error.code !== 'client_gone') leave()
      else fail(error)
    }
    const onAbort = (): void => {
      // What came before the end was given up has been said.
      look()
      giveUp(reasonOf(signal))
    }
    const onSilence = (): void => {
      const outstanding = `${progress()} had come and the end of the answer was outstanding`
      giveUp(
        new GatewayError('timeout', `Upstream "${name}" sent nothing for ${idleMs} ms; ${outstanding}.`, {
          code: 'upstream_idle_timeout',
          status: 504,
        }),
      )
    }
    const hold = (onDrain: OnDrain): void => {
      if (held) return
      held = true
      answer.pause()
      // It cannot say anything now.
      idle.pause()
      onDrain(() => {
        held = false
        if (over) return
        idle.resume()
        answer.resume()
      })
    }
    /** What came since the last look. A server's small chunks often come many at a time, and are taken together. */
    let arrived: Uint8Array[] = []
    const look = (): void => {
      if (over || arrived.length === 0) return
      const chunks = arrived
      arrived = []
      try {
        const sign = onData(chunks, hold)
        if (sign !== 'idle') idle.touch()
        if (sign === 'finished') cancelGrace ??= clock.after(graceMs, leave)
      } catch (error) {
        fail(error)
      }
    }

    const idle = createDeadline(clock, idleMs, onSilence)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)

    answer.read({
      data(chunk) {
        if (arrived.push(chunk) === 1) queueMicrotask(look)
      },
      end() {
        look()
        if (stop()) resolve()
      },
      fail(error) {
        look()
        if (cancelGrace !== undefined) return leave()
        fail(
          new GatewayError(
            'server',
            `The answer of upstream "${name}" was cut off; ${progress()} had come: ${error.message}.`,
            {
              code: 'upstream_cut',
              status: 502,
            },
          ),
        )
      },
    })

    /** Everything has been said; that the upstream keeps the line open is no reason to wait. */
    function leave(): void {
      if (!stop()) return
      answer.abort()
      resolve()
    }
  })
}

/** Why the exchange was given up: a deadline or a shutdown says so itself, else the client has gone. */
export function reasonOf(signal: SignalLike): GatewayError {
  if (signal.reason instanceof GatewayError) return signal.reason
  return clientGone()
}
