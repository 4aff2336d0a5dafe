/** Whether the client of a socket is still there, and how long the socket has been open. */
import type { Clock } from '../../platform/clock.ts'

export interface LivenessOptions {
  readonly clock: Clock
  /** How long a client may read nothing of what waits for it. 0: no limit. */
  readonly stallMs: number
  /** How long the socket may be open. 0: no limit. */
  readonly ageMs: number
  ping(): void
  /** How much waits for the client; while it does, what the client sends may not be read. */
  unread(): number
  onDead(): void
  onOld(): void
}

/** A client answers a ping by itself, so one that is silent for two of these has gone without saying so. */
const pingMs = 30_000

export class Liveness {
  readonly #options: LivenessOptions
  readonly #cancelAge: (() => void) | undefined
  #cancelPing: () => void
  #hasBeenHeard = true
  #unread = 0
  #unreadSince: number

  constructor(options: LivenessOptions) {
    const { clock, ageMs, onOld } = options
    this.#options = options
    this.#unreadSince = clock.now()
    this.#cancelPing = clock.after(pingMs, this.#check)
    if (ageMs > 0) this.#cancelAge = clock.after(ageMs, onOld)
  }

  heard(): void {
    this.#hasBeenHeard = true
  }

  stop(): void {
    this.#cancelPing()
    this.#cancelAge?.()
  }

  readonly #check = (): void => {
    const { clock, ping, onDead } = this.#options
    if (this.#isDead()) {
      onDead()
      return
    }
    this.#hasBeenHeard = false
    ping()
    this.#cancelPing = clock.after(pingMs, this.#check)
  }

  #isDead(): boolean {
    const { clock, stallMs, unread } = this.#options
    const waiting = unread()
    if (waiting === 0 || waiting !== this.#unread) {
      this.#unread = waiting
      this.#unreadSince = clock.now()
      return waiting === 0 && !this.#hasBeenHeard
    }
    return stallMs > 0 && clock.now() - this.#unreadSince >= stallMs
  }
}
