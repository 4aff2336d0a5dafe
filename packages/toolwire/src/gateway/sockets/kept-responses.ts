/**
 * The responses that a connection remembers: those that are stored nowhere else, so that the next request on it may
 * continue them. What each adds to its history is kept once, however many continue it.
 */
import { append } from '@toolwire/core/json'
import type { Item, ResponseRecord } from '../../store/store.ts'
import type { Holding } from '../http/byte-budget.ts'

/** A response, and what it continues: another that is kept here, or items from elsewhere. */
export interface KeptResponse extends Pick<ResponseRecord, 'id' | 'previousId' | 'input' | 'output'> {
  /** Needed where the one before is not kept here. */
  readonly history: readonly Item[]
  /** The response of the upstream's own that comes before all of it. */
  readonly heldId?: string | undefined
}

export interface KeptHistory {
  /** Everything that a continuation must include, oldest first. */
  readonly items: readonly Item[]
  readonly heldId: string | undefined
}

interface Link {
  readonly previous: Link | undefined
  readonly heldId: string | undefined
  readonly items: readonly Item[]
  readonly bytes: number
  /** How many links need it: those that continue it, and the table of ids. */
  uses: number
}

const itemCost = 200

export class KeptResponses {
  readonly #memory: Holding
  readonly #limit: number
  readonly #links = new Map<string, Link>()
  #isClosed = false

  /** `limit`: the most bytes that are kept. */
  constructor(memory: Holding, limit: number) {
    this.#memory = memory
    this.#limit = limit
  }

  get size(): number {
    return this.#links.size
  }

  has(id: unknown): boolean {
    return typeof id === 'string' && this.#links.has(id)
  }

  history(id: string): KeptHistory | undefined {
    const chain: Link[] = []
    for (let link = this.#links.get(id); link !== undefined; link = link.previous) chain.push(link)
    if (chain.length === 0) return undefined
    const items: Item[] = []
    for (const link of chain.reverse()) append(items, link.items)
    return { items, heldId: chain[0]?.heldId }
  }

  /** Those kept longest make room. One for which there is none is not kept, as if it had been forgotten. */
  keep({ id, input, output, previousId, history, heldId }: KeptResponse): void {
    if (this.#isClosed) return
    this.forget(id)
    const previous = previousId === undefined ? undefined : this.#links.get(previousId)
    const items = [...(previous === undefined ? history : []), ...input, ...output]
    const bytes = items.reduce((sum, item) => sum + itemCost + 2 * item.json.length, itemCost)
    for (const oldest of this.#links.keys()) {
      if (this.#memory.bytes + bytes <= this.#limit) break
      this.forget(oldest)
    }
    if (this.#memory.bytes + bytes > this.#limit) return
    try {
      this.#memory.take(bytes, 'history')
    } catch {
      return
    }
    if (previous !== undefined) previous.uses++
    this.#links.set(id, { previous, heldId, items, bytes, uses: 1 })
  }

  forget(id: string): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    this.#links.delete(id)
    this.#release(link)
  }

  /** The connection is gone. An answer that was on its way may still come, and nobody could continue it. */
  close(): void {
    this.#isClosed = true
    this.#links.clear()
    this.#memory.release()
  }

  #release(first: Link): void {
    for (let link: Link | undefined = first; link !== undefined && --link.uses === 0; link = link.previous) {
      this.#memory.give(link.bytes)
    }
  }
}
