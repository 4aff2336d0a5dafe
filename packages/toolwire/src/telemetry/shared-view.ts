/** A view that so far says what another has kept, byte by byte, so that it need not be kept as well. */

/** What is repeated. It may grow meanwhile. */
export interface KeptBlocks {
  /** All but the last are full. */
  readonly blocks: readonly Buffer[]
  /** Of the last. */
  readonly filled: number
}

export class SharedView {
  readonly #original: KeptBlocks
  /** How far it has come. */
  #index = 0
  #offset = 0

  constructor(original: KeptBlocks) {
    this.#original = original
  }

  /** Goes on by these bytes, if they are what follows in the original. */
  takes(bytes: Uint8Array): boolean {
    const { blocks, filled } = this.#original
    let index = this.#index
    let offset = this.#offset
    for (let at = 0; at < bytes.byteLength; ) {
      const block = blocks[index]
      if (block === undefined) return false
      const isLast = index === blocks.length - 1
      const end = isLast ? filled : block.length
      if (offset === end) {
        if (isLast) return false
        index++
        offset = 0
        continue
      }
      const length = Math.min(end - offset, bytes.byteLength - at)
      if (block.compare(bytes, at, at + length, offset, offset + length) !== 0) return false
      at += length
      offset += length
    }
    this.#index = index
    this.#offset = offset
    return true
  }

  /** What has been repeated. */
  pieces(): Buffer[] {
    const { blocks } = this.#original
    const last = blocks[this.#index]
    return [...blocks.slice(0, this.#index), ...(last === undefined ? [] : [last.subarray(0, this.#offset)])]
  }
}
