/** A map that forgets what was used longest ago when it would grow over its limit. */
export class LruMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Looking something up counts as using it. */
  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#touch(key, value)
    return value
  }

  /** Gives what was forgotten to make room. */
  set(key: string, value: Value): readonly [key: string, value: Value] | undefined {
    this.#touch(key, value)
    if (this.#entries.size <= this.#limit) return undefined
    const [oldest] = this.#entries
    if (oldest !== undefined) this.#entries.delete(oldest[0])
    return oldest
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  /** From the one used longest ago to the latest. */
  entries(): [string, Value][] {
    return [...this.#entries]
  }

  /** A map keeps the order in which its keys were added. */
  #touch(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
