/**
 * Collections that many things pass through. A `Set` that some stay in for a while keeps them all: when its table is full of
 * what was deleted, it makes another, and the old one refers to the new. As soon as one table is old, the collector of what is
 * young takes all later ones for used, with everything that was ever in them, until everything is collected.
 */

export interface Placed {
  /** Where it stands; set by the collection. */
  place: number
}

/** In no order. */
export class Passing<T extends Placed> implements Iterable<T> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  delete(item: T): void {
    if (this.#items[item.place] !== item) return
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#items[item.place] = last
    last.place = item.place
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }
}

/** So many empty places are left as they are, and as many as there are others. */
const fewEmpty = 64

/** The oldest first, which is also the first to go, mostly. */
export class Queue<T> implements Iterable<T> {
  #items: (T | undefined)[] = []
  /** Before it, all places are empty. */
  #first = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  get oldest(): T | undefined {
    return this.#items[this.#first]
  }

  add(item: T): void {
    this.#items.push(item)
    this.#size++
  }

  delete(item: T): boolean {
    const at = this.#items.indexOf(item, this.#first)
    if (at === -1) return false
    this.#items[at] = undefined
    this.#size--
    while (this.#first < this.#items.length && this.#items[this.#first] === undefined) this.#first++
    if (this.#items.length > 2 * this.#size + fewEmpty) {
      this.#items = [...this]
      this.#first = 0
    }
    return true
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item
  }
}
