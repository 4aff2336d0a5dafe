/**
 * Shows others that this gateway lives. It lasts some seconds by the clock of the server, the only clock that counts, and
 * is renewed while the process runs. Its token begins with a number that only grows, and marks what the gateway works on:
 * once another gateway has ended that work, nothing is written under the token any more.
 */
import type { Procedures } from './procedures.ts'

export class Lease {
  readonly token: string
  readonly #procedures: Procedures
  readonly #milliseconds: number
  readonly #timer: ReturnType<typeof setInterval>
  readonly #elapsed: () => number
  /** Since when the server has answered without a gap. */
  #steadySince: number
  /** When the last renewal began that has not ended. */
  #renewingSince: number | undefined

  private constructor(procedures: Procedures, token: string, milliseconds: number, elapsed: () => number) {
    this.#procedures = procedures
    this.token = token
    this.#elapsed = elapsed
    this.#milliseconds = milliseconds
    this.#steadySince = this.#elapsed()
    this.#timer = setInterval(() => void this.#renewInTime(), milliseconds / 4)
    this.#timer.unref?.()
  }

  /** `elapsed`: milliseconds on a clock that never jumps. */
  static async open(
    procedures: Procedures,
    name: string,
    milliseconds: number,
    elapsed: () => number,
  ): Promise<Lease> {
    const [row] = await procedures.call('open_lease', name, milliseconds)
    return new Lease(procedures, row?.[0] ?? '', milliseconds, elapsed)
  }

  /** Rejects when it cannot be renewed. Returns whether there is room for more than that. */
  async renew(): Promise<boolean> {
    try {
      const [row] = await this.#procedures.call('renew_lease', this.token, this.#milliseconds)
      if (row?.[0] !== 'kept') this.#steadySince = this.#elapsed()
      return row?.[1] !== 'full'
    } catch (error) {
      this.#steadySince = this.#elapsed()
      throw error
    }
  }

  /**
   * Whether a lease that has run out shows that its holder is dead. After a pause of the server or of this process the
   * leases of all have run out; whoever lives has renewed its own after as long as one lasts.
   */
  get mayJudge(): boolean {
    return this.#elapsed() - this.#steadySince >= this.#milliseconds
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#procedures.call('end_lease', this.token)
  }

  async #renewInTime(): Promise<void> {
    const begun = this.#elapsed()
    // One on a connection that fell silent does not hold up the next.
    if (begun - (this.#renewingSince ?? Number.NEGATIVE_INFINITY) < this.#milliseconds / 2) return
    this.#renewingSince = begun
    // Why it fails is reported by `check`.
    await this.renew().catch(() => false)
    if (this.#renewingSince === begun) this.#renewingSince = undefined
  }
}
