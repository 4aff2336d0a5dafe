/** Counters in memory. */
import { checkCounts } from '../checks.ts'
import type { CountChange, Counts } from '../store.ts'

interface Counter {
  readonly value: number
  readonly expiresAt: number
}

export class MemoryCounts {
  readonly #counters = new Map<string, Counter>()
  /** With so many, those that have expired are looked for. */
  #crowd = 1_000

  add(owner: string, changes: readonly CountChange[], now: number): Counts {
    checkCounts(owner, changes)
    const keyOf = (name: string): string => `${owner}\n${name}`
    const amountOf = (name: string): number => {
      const counter = this.#counters.get(keyOf(name))
      return counter === undefined || counter.expiresAt <= now ? 0 : counter.value
    }
    const isAdded = changes.every(({ name, most }) => most === undefined || amountOf(name) < most)
    if (isAdded) {
      for (const { name, by, expiresAt } of changes) {
        this.#counters.set(keyOf(name), { value: Math.max(0, amountOf(name) + by), expiresAt })
      }
    }
    if (this.#counters.size > this.#crowd) {
      this.trim(now)
      this.#crowd = 1_000 + 2 * this.#counters.size
    }
    return { isAdded, values: changes.map(({ name }) => amountOf(name)) }
  }

  trim(now: number): void {
    for (const [key, { expiresAt }] of this.#counters) if (expiresAt <= now) this.#counters.delete(key)
  }

  clear(): void {
    this.#counters.clear()
  }
}
