/** The body of an upstream's answer to its end, watched by the idle deadline and the client's presence. */
import type { SignalLike } from '@toolwire/core'
import type { Clock, Deadline } from '../clock.ts'
import { createDeadline } from '../clock.ts'
import { clientGone, GatewayError } from '../errors.ts'
import type { BodyReader, UpstreamAnswer } from './attempt.ts'

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
  return new Promise((resolve, reject) => new Reading(options, resolve, reject).start())
}

class Reading implements BodyReader {
  readonly #options: ReadOptions
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  /** Set while more is to come: most answers that are not streamed are there as soon as they are looked at. */
  #idle: Deadline | undefined
  #isOver = false
  #isHeld = false
  #cancelGrace: (() => void) | undefined
  /** What came since the last look. A server's small chunks often come many at a time, and are taken together. */
  #arrived: Uint8Array[] = []

  constructor(options: ReadOptions, resolve: () => void, reject: (error: unknown) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    const { answer, signal, clock, idleMs } = this.#options
    if (signal.aborted) {
      this.#onAbort()
      return
    }
    signal.addEventListener('abort', this.#onAbort)
    answer.read(this)
    if (!this.#isOver) this.#idle = createDeadline(clock, idleMs, () => this.#onSilence())
  }

  data(chunk: Uint8Array): void {
    if (this.#arrived.push(chunk) === 1) queueMicrotask(() => this.#look())
  }

  end(): void {
    this.#look()
    if (this.#stop()) this.#resolve()
  }

  fail(error: Error): void {
    this.#look()
    if (this.#cancelGrace !== undefined) {
      this.#leave()
      return
    }
    const { name, progress } = this.#options
    this.#breakOff(
      new GatewayError(
        'server',
        `The answer of upstream "${name}" was cut off; ${progress()} had come: ${error.message}.`,
        { code: 'upstream_cut', status: 502 },
      ),
    )
  }

  #look(): void {
    if (this.#isOver || this.#arrived.length === 0) return
    const { clock, onData } = this.#options
    const chunks = this.#arrived
    this.#arrived = []
    try {
      const sign = onData(chunks, this.#hold)
      if (sign !== 'idle') this.#idle?.touch()
      if (sign === 'finished') this.#cancelGrace ??= clock.after(graceMs, () => this.#leave())
    } catch (error) {
      this.#breakOff(error)
    }
  }

  readonly #hold = (onDrain: OnDrain): void => {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#options.answer.pause()
    // It cannot say anything now.
    this.#idle?.pause()
    onDrain(() => {
      this.#isHeld = false
      if (this.#isOver) return
      this.#idle?.resume()
      this.#options.answer.resume()
    })
  }

  readonly #onAbort = (): void => {
    // What came before the end was given up has been said.
    this.#look()
    this.#giveUp(reasonOf(this.#options.signal))
  }

  #onSilence(): void {
    const { name, idleMs, progress } = this.#options
    const outstanding = `${progress()} had come and the end of the answer was outstanding`
    this.#giveUp(
      new GatewayError('timeout', `Upstream "${name}" sent nothing for ${idleMs} ms; ${outstanding}.`, {
        code: 'upstream_idle_timeout',
        status: 504,
      }),
    )
  }

  /** What has been said in full is not lost over what comes while the line is still open. */
  #giveUp(error: GatewayError): void {
    if (this.#cancelGrace !== undefined && error.code !== 'client_gone') this.#leave()
    else this.#breakOff(error)
  }

  #breakOff(error: unknown): void {
    if (!this.#stop()) return
    this.#options.answer.abort()
    this.#reject(error)
  }

  /** Everything has been said; that the upstream keeps the line open is no reason to wait. */
  #leave(): void {
    if (!this.#stop()) return
    this.#options.answer.abort()
    this.#resolve()
  }

  #stop(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#idle?.stop()
    this.#cancelGrace?.()
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    return true
  }
}

/** Why the exchange was given up: a deadline or a shutdown says so itself, else the client has gone. */
export function reasonOf(signal: SignalLike): GatewayError {
  if (signal.reason instanceof GatewayError) return signal.reason
  return clientGone()
}
