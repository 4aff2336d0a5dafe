/**
 * One budget for the bytes of all requests in flight: bodies, histories, answers, and what slow clients have not read.
 * Memory is taken before it is used and given back when the request is over; what finds none is refused, because a heap
 * that is full ends the process for everybody.
 */
import { countJsonNodes } from '@toolwire/core/json'
import { OwnerShares } from '../../platform/owner-shares.ts'
import { GatewayError, retryLater, unavailable } from '../errors.ts'

export interface ByteBudgetOptions {
  readonly limit: number
  /** The most that one owner may hold. */
  readonly ownerLimit: number
}

/** What the memory is for, which decides whose fault it is when there can never be enough. */
type Purpose = 'request' | 'history' | 'answer'

export class ByteBudget {
  readonly #options: ByteBudgetOptions
  readonly #shares = new OwnerShares()
  #used = 0

  constructor(options: ByteBudgetOptions) {
    this.#options = options
  }

  get used(): number {
    return this.#used
  }

  /** Throws a `GatewayError` when there is no room. `held`: what the same request holds already. */
  take(owner: string, bytes: number, held: number, purpose: Purpose): void {
    const { limit, ownerLimit } = this.#options
    if (held + bytes > ownerLimit) throw neverFits(purpose, held + bytes, ownerLimit)
    if (this.#used + bytes > limit) {
      throw unavailable('The gateway has no memory left for this request.', {
        code: 'memory_full',
        status: 503,
      })
    }
    if (this.#shares.of(owner) + bytes > ownerLimit) {
      throw new GatewayError(
        'rate_limit',
        'The requests of this key take all the memory that one key may have.',
        {
          code: 'key_memory_full',
          headers: retryLater,
        },
      )
    }
    this.#used += bytes
    this.#shares.add(owner, bytes)
  }

  give(owner: string, bytes: number): void {
    this.#used -= bytes
    this.#shares.add(owner, -bytes)
  }
}

function neverFits(purpose: Purpose, bytes: number, limit: number): GatewayError {
  const need = `needs ${bytes} bytes of memory while it is worked on, and ${limit} is the most (limits.memoryBytes)`
  switch (purpose) {
    case 'answer':
      return new GatewayError('server', `The answer of the upstream ${need}.`, {
        code: 'upstream_too_large',
        status: 502,
      })
    case 'history':
      return new GatewayError('too_large', `The request with the history that it refers to ${need}.`, {
        code: 'history_too_large',
      })
    case 'request':
      return new GatewayError('too_large', `The request ${need}.`, { code: 'body_too_large' })
  }
}

/** What one request holds of the budget. */
export class Holding {
  readonly #budget: ByteBudget
  readonly #owner: string
  #held = 0

  constructor(budget: ByteBudget, owner: string) {
    this.#budget = budget
    this.#owner = owner
  }

  get bytes(): number {
    return this.#held
  }

  take(bytes: number, purpose: Purpose): void {
    if (bytes <= 0) return
    this.#budget.take(this.#owner, bytes, this.#held, purpose)
    this.#held += bytes
  }

  /** Gives back a part of it. */
  give(bytes: number): void {
    this.#budget.give(this.#owner, bytes)
    this.#held -= bytes
  }

  release(): void {
    if (this.#held > 0) this.#budget.give(this.#owner, this.#held)
    this.#held = 0
  }

  /** Moves everything to a holding of its own, for work that outlives the request. */
  handOver(): Holding {
    const other = new Holding(this.#budget, this.#owner)
    other.#held = this.#held
    this.#held = 0
    return other
  }
}

/**
 * What JSON takes besides its own bytes while it is parsed, converted and written again. Measured with nine shapes of
 * requests, each with the smallest heap that it survived in: long texts are there up to five times more, a value of an
 * ordinary request takes up to 180 bytes as objects, and one that is not understood up to 275 with its diagnostics.
 */
const textCopies = 5
const bytesPerValue = 300

/** `json`: its text, decoded or as Latin-1. */
export function workingBytes(json: string): number {
  return textBytes(json.length) + nodeBytes(countJsonNodes(json))
}

/** The part of it that is known from the length alone. */
export function textBytes(length: number): number {
  return textCopies * length
}

/** The other part, where the nodes have been counted. */
export function nodeBytes(nodes: number): number {
  return bytesPerValue * (nodes + 1)
}
