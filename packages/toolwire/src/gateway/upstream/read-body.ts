/** Reads the body of an upstream's answer to its end, under the idle deadline and while the client is there. */
import type { SignalLike } from '@toolwire/core'
import type { Clock, Deadline } from '../../platform/clock.ts'
import { createDeadline } from '../../platform/clock.ts'
import { GatewayError } from '../errors.ts'
import { abortReason } from '../http/abort.ts'
import { ChunkList } from '../http/bytes.ts'
import type { Turns } from '../http/turns.ts'
import type { BodyReader, UpstreamAnswer } from './attempt.ts'

export interface ReadOptions {
  readonly answer: UpstreamAnswer
  readonly clock: Clock
  readonly idleMs: number
  /** How long pings alone keep the answer alive. 0: for ever. */
  readonly pingMs: number
  readonly signal: SignalLike
  /** The upstream's name, for errors. */
  readonly name: string
  /** Where several keys share the event loop, and whose work this is. */
  readonly turns?: Turns | undefined
  readonly share?: string
  /** How far the answer got, for errors: `12 events`. */
  progress(): string
  /**
   * Takes what has arrived since the last call, and returns whether it was progress or only a ping. It may throw a `GatewayError` to end
   * the reading. It may also hold the upstream until the client reads on; meanwhile the idle deadline stands still.
   */
  onData(chunks: readonly Uint8Array[], hold: (onDrain: OnDrain) => void): 'alive' | 'ping' | 'finished'
}

type OnDrain = (callback: () => void) => void

const settled = Promise.resolve()

/** How long an upstream may keep the connection open after the end of its answer. */
const graceMs = 250

/** Resolves at the end. Rejects with a `GatewayError` when it was cut off, fell silent, or the client has gone. */
export function readBody(options: ReadOptions): Promise<void> {
  return new Promise((resolve, reject) => new Reading(options, resolve, reject).start())
}

class Reading implements BodyReader {
  readonly #options: ReadOptions
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  /** Set while more is to come: most answers that are not streamed have arrived completely when reading begins. */
  #idle: Deadline | undefined
  #isOver = false
  #isHeld = false
  #cancelGrace: (() => void) | undefined
  /** What has not been handled yet. Small chunks often arrive many at a time, and are handled together. */
  #arrived: Uint8Array[] = []
  /** Waits for its turn to handle what has arrived. Then comes the end, if that has arrived too. */
  #isWaiting = false
  #isPaused = false
  #ending: Error | 'complete' | undefined
  #pings = 0
  #lastPing = 0

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
    // By a promise, which costs a fraction of what `queueMicrotask` costs in Node.
    if (this.#arrived.push(chunk) === 1) void settled.then(this.#onArrived)
  }

  readonly #onArrived = (): void => {
    if (this.#options.turns === undefined) this.#handle()
    else this.#takeTurn()
  }

  end(): void {
    this.#close('complete')
  }

  fail(error: Error): void {
    this.#close(error)
  }

  #close(ending: Error | 'complete'): void {
    this.#ending = ending
    if (this.#options.turns === undefined || this.#arrived.length === 0) this.#onTurn()
    else this.#takeTurn()
  }

  #takeTurn(): void {
    const { turns, share = '', answer } = this.#options
    if (this.#isWaiting || this.#isOver || this.#arrived.length === 0) return
    this.#isWaiting = true
    if (turns?.run(share, this.#onTurn) !== false || this.#ending !== undefined) return
    this.#isPaused = true
    answer.pause()
  }

  readonly #onTurn = (): void => {
    this.#isWaiting = false
    this.#handle()
    if (this.#ending === 'complete') {
      if (this.#stop()) this.#resolve()
    } else if (this.#ending !== undefined) this.#onFailure(this.#ending)
    else if (this.#isPaused) {
      this.#isPaused = false
      if (!this.#isHeld && !this.#isOver) this.#options.answer.resume()
    }
  }

  #onFailure(error: Error): void {
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

  #handle(): void {
    if (this.#isOver) return
    const chunks = this.#takeArrived()
    if (chunks.length === 0) return
    const { clock, onData } = this.#options
    try {
      const sign = onData(chunks, this.#hold)
      if (sign === 'ping') this.#onPing()
      else this.#idle?.touch()
      if (sign === 'finished') this.#cancelGrace ??= clock.after(graceMs, () => this.#leave())
    } catch (error) {
      this.#breakOff(error)
    }
  }

  /** What may be passed on, without keys. At the end that is also what might have been the beginning of one. */
  #takeArrived(): readonly Uint8Array[] {
    const { mask } = this.#options.answer
    const arrived = this.#arrived
    if (arrived.length > 0) this.#arrived = []
    if (mask === undefined) return arrived
    const clean = arrived.length === 0 ? arrived : mask.take(arrived)
    const rest = this.#ending === undefined ? undefined : mask.rest()
    return rest === undefined ? clean : [...clean, rest]
  }

  #onPing(): void {
    const { clock, pingMs } = this.#options
    this.#pings++
    this.#lastPing = clock.now()
    this.#idle?.extend(pingMs === 0 ? Number.POSITIVE_INFINITY : pingMs)
  }

  readonly #hold = (onDrain: OnDrain): void => {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#options.answer.pause()
    // A paused upstream cannot send anything.
    this.#idle?.pause()
    onDrain(() => {
      this.#isHeld = false
      if (this.#isOver) return
      this.#idle?.resume()
      this.#options.answer.resume()
    })
  }

  readonly #onAbort = (): void => {
    // What arrived before that still counts.
    this.#handle()
    this.#giveUp(abortReason(this.#options.signal))
  }

  #onSilence(): void {
    const { name, idleMs } = this.#options
    const silentMs = this.#pings === 0 ? idleMs : (this.#idle?.sinceTouchMs ?? idleMs)
    const what = this.#pings === 0 ? 'nothing' : 'no event'
    const message = `Upstream "${name}" sent ${what} for ${silentMs} ms; ${this.#progress()} and the end of the answer was outstanding.`
    this.#giveUp(new GatewayError('timeout', message, { code: 'upstream_idle_timeout', status: 504 }))
  }

  /** What had come, and if there were pings, when. */
  #progress(): string {
    const { progress, clock } = this.#options
    if (this.#pings === 0) return `${progress()} had come`
    const pings = this.#pings === 1 ? '1 ping' : `${this.#pings} pings`
    const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s ago`
    const event = seconds(this.#idle?.sinceTouchMs ?? 0)
    const ping = seconds(clock.now() - this.#lastPing)
    return `${progress()} and ${pings} had come, the last event ${event}, the last ping ${ping},`
  }

  /** An answer that is complete is not lost because the connection is still open. */
  #giveUp(error: GatewayError): void {
    if (this.#cancelGrace !== undefined && error.code !== 'client_gone') this.#leave()
    else this.#breakOff(error)
  }

  #breakOff(error: unknown): void {
    if (!this.#stop()) return
    this.#options.answer.abort()
    this.#reject(error)
  }

  /** The answer is complete; there is no reason to wait until the upstream closes the connection. */
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

export interface CollectOptions extends Omit<ReadOptions, 'pingMs' | 'progress' | 'onData'> {
  /** In bytes. */
  readonly limit: number
  readonly onChunks?: (chunks: readonly Uint8Array[]) => void
  /** Called before bytes are kept; throws when there is no memory for them. */
  readonly reserve?: (bytes: number) => void
}

/** The complete body, for answers that are not streamed. */
export async function collectBody(options: CollectOptions): Promise<Buffer> {
  const { limit, onChunks, reserve, answer, clock, idleMs, signal, name, turns, share = '' } = options
  const all = new ChunkList()
  let length = 0
  await readBody({
    answer,
    clock,
    idleMs,
    pingMs: 0,
    signal,
    name,
    turns,
    share,
    progress: () => `${length} bytes`,
    onData(chunks) {
      onChunks?.(chunks)
      const before = length
      for (const chunk of chunks) length += chunk.byteLength
      if (length > limit) {
        throw new GatewayError('server', `The answer of upstream "${name}" is longer than ${limit} bytes.`, {
          code: 'upstream_too_large',
          status: 502,
        })
      }
      reserve?.(length - before)
      for (const chunk of chunks) all.add(chunk)
      return 'alive'
    },
  })
  return await all.join()
}
