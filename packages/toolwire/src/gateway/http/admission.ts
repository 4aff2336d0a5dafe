/**
 * How many exchanges may be in flight. Those beyond the limit wait for a short time in a short queue, in which owners take
 * turns; where that is full too, a request is refused at once, before its body is read.
 */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { OwnerShares } from '../../platform/owner-shares.ts'
import { GatewayError, retryLater, unavailable } from '../errors.ts'
import { abortReason } from './abort.ts'

export interface AdmissionLimits {
  /** In flight, of all owners and of one. */
  readonly exchanges: number
  readonly ownerExchanges: number
  /** How many may wait, and for how long. */
  readonly queue: number
  readonly queueMs: number
}

interface Waiting {
  readonly owner: string
  admit(): void
  refuse(error: GatewayError): void
}

export class Admission {
  readonly #limits: AdmissionLimits
  readonly #clock: Clock
  readonly #running = new OwnerShares()
  #inFlight = 0
  /** By owner, in the order of their turns; whoever has had a turn comes last. */
  readonly #queues = new Map<string, Waiting[]>()
  readonly #waitingByOwner = new OwnerShares()
  #waiting = 0

  constructor(limits: AdmissionLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  /** `undefined`: admitted at once. Whoever is admitted must `leave`. Throws or rejects with a `GatewayError`. */
  enter(owner: string, signal: SignalLike): Promise<void> | undefined {
    const { exchanges, ownerExchanges } = this.#limits
    // An owner who may have all places waits for them like everybody.
    const isLimited = ownerExchanges < exchanges
    if (isLimited && this.#running.of(owner) + this.#waitingByOwner.of(owner) >= ownerExchanges) {
      throw new GatewayError('rate_limit', `This key has ${ownerExchanges} requests in flight already.`, {
        code: 'too_many_requests',
        headers: retryLater,
      })
    }
    if (this.#inFlight < exchanges && this.#waiting === 0) {
      this.#start(owner)
      return undefined
    }
    return this.#wait(owner, signal)
  }

  leave(owner: string): void {
    this.#inFlight--
    this.#running.add(owner, -1)
    this.#admitNext()
  }

  #start(owner: string): void {
    this.#inFlight++
    this.#running.add(owner, 1)
  }

  #admitNext(): void {
    while (this.#waiting > 0 && this.#inFlight < this.#limits.exchanges) {
      const [turn] = this.#queues
      const next = turn?.[1][0]
      if (turn === undefined || next === undefined) return
      this.#remove(next)
      // The next turn is another owner's.
      const [owner, rest] = turn
      if (this.#queues.delete(owner) && rest.length > 0) this.#queues.set(owner, rest)
      this.#start(owner)
      next.admit()
    }
  }

  #wait(owner: string, signal: SignalLike): Promise<void> {
    if (this.#waiting >= this.#limits.queue) this.#displaceFor(owner)
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        owner,
        admit() {
          forget()
          resolve()
        },
        refuse(error) {
          forget()
          reject(error)
        },
      }
      const giveUp = (error: GatewayError): void => {
        this.#remove(waiting)
        waiting.refuse(error)
      }
      const onAbort = (): void => giveUp(abortReason(signal))
      const cancel = this.#clock.after(this.#limits.queueMs, () => giveUp(overloaded()))
      signal.addEventListener('abort', onAbort)
      this.#add(waiting)
    })
  }

  /** A full queue has room for an owner who has fewer waiting than another: the other's latest is refused. */
  #displaceFor(owner: string): void {
    const largest = this.#waitingByOwner.largest()
    const last = largest === undefined ? undefined : this.#queues.get(largest)?.at(-1)
    if (last === undefined || this.#waitingByOwner.of(last.owner) <= this.#waitingByOwner.of(owner) + 1) {
      throw overloaded()
    }
    this.#remove(last)
    last.refuse(overloaded())
  }

  #add(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.owner)
    if (queue === undefined) this.#queues.set(waiting.owner, [waiting])
    else queue.push(waiting)
    this.#waitingByOwner.add(waiting.owner, 1)
    this.#waiting++
  }

  #remove(waiting: Waiting): void {
    const queue = this.#queues.get(waiting.owner) ?? []
    const at = queue.indexOf(waiting)
    if (at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) this.#queues.delete(waiting.owner)
    this.#waitingByOwner.add(waiting.owner, -1)
    this.#waiting--
  }
}

function overloaded(): GatewayError {
  return unavailable('The gateway has too many requests in flight.', { code: 'too_busy', status: 503 })
}
