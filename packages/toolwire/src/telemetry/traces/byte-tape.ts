/**
 * Bytes and texts one behind the other, written once and read when somebody looks, in pages of memory that are used again. What
 * is copied into pages costs nothing but the copy: a body that is kept as it came makes each collection of garbage dearer, for as
 * long as it is kept.
 */

export const pageBytes = 8192
/** Slabs are never given back. As long as pages are free, no new one is made. */
const pagesOfSlab = 128

export class PagePool {
  readonly #slabs: Buffer[] = []
  readonly #free: number[] = []
  #count = 0

  take(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#count === this.#slabs.length * pagesOfSlab)
      this.#slabs.push(Buffer.allocUnsafeSlow(pagesOfSlab * pageBytes))
    return this.#count++
  }

  give(pages: readonly number[]): void {
    for (const page of pages) this.#free.push(page)
  }

  /** The memory that a page is in, beginning at `offsetOf(page)`. */
  slabOf(page: number): Buffer {
    const slab = this.#slabs[Math.floor(page / pagesOfSlab)]
    if (slab === undefined) throw new RangeError(`There is no page ${page}.`)
    return slab
  }
}

function offsetOf(page: number): number {
  return (page % pagesOfSlab) * pageBytes
}

const scratch = Buffer.allocUnsafeSlow(96 * 1024)
const mostBytesOfCharacter = 3

/** The bytes of a text, to be used at once: those of a short one stand in memory that the next text takes. */
export function bytesOf(text: string): Uint8Array {
  if (text.length * mostBytesOfCharacter > scratch.length) return Buffer.from(text)
  return scratch.subarray(0, scratch.write(text))
}

export class ByteTape {
  readonly #pool: PagePool
  #pages: number[] = []
  /** How much is written. */
  length = 0

  constructor(pool: PagePool) {
    this.#pool = pool
  }

  /** How many more pages it needs for so many bytes. */
  pagesFor(bytes: number): number {
    return Math.ceil((this.length + bytes) / pageBytes) - this.#pages.length
  }

  write(bytes: Uint8Array): void {
    let from = 0
    while (from < bytes.length) {
      const at = this.length % pageBytes
      const page = at === 0 ? this.#addPage() : this.#lastPage()
      const size = Math.min(bytes.length - from, pageBytes - at)
      const piece = size === bytes.length ? bytes : bytes.subarray(from, from + size)
      this.#pool.slabOf(page).set(piece, offsetOf(page) + at)
      from += size
      this.length += size
    }
  }

  /** Copies a piece of it to a place in `target`. */
  read(start: number, size: number, target: Uint8Array, to: number): void {
    let done = 0
    while (done < size) {
      const at = (start + done) % pageBytes
      const page = this.#pages[Math.floor((start + done) / pageBytes)]
      if (page === undefined) throw new RangeError('The tape has ended.')
      const from = offsetOf(page) + at
      const length = Math.min(size - done, pageBytes - at)
      target.set(this.#pool.slabOf(page).subarray(from, from + length), to + done)
      done += length
    }
  }

  /** Gives the pages back, with all that was written. */
  clear(): void {
    this.#pool.give(this.#pages)
    this.#pages = []
    this.length = 0
  }

  #addPage(): number {
    const page = this.#pool.take()
    this.#pages.push(page)
    return page
  }

  #lastPage(): number {
    return this.#pages[this.#pages.length - 1] ?? this.#addPage()
  }
}
