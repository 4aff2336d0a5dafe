/**
 * How much each owner holds of something that all share. Where room is short, whoever holds most makes it, so that an
 * owner within an equal share loses nothing to the others, and one alone may use everything.
 */
export class OwnerShares {
  readonly #held = new Map<string, number>()

  /** A negative amount is given back. */
  add(owner: string, amount: number): void {
    const held = this.of(owner) + amount
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }

  of(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  /** The owner who holds most, of several the first by name; `undefined` when nobody holds anything. */
  largest(): string | undefined {
    let found: string | undefined
    let most = 0
    for (const [owner, held] of this.#held) {
      if (held < most || (held === most && found !== undefined && owner > found)) continue
      found = owner
      most = held
    }
    return found
  }
}
