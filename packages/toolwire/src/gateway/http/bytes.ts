/** Working with bytes: without copying them, or without holding up everybody else. */
import { setImmediate as letOthersRun } from 'node:timers/promises'

/** The same bytes as a `Buffer`; the memory is shared. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const scratch = Buffer.allocUnsafeSlow(64 * 1024)
/** The list that stands in it, and as what. */
let joined: { readonly chunks: readonly Uint8Array[]; readonly bytes: Uint8Array } | undefined

/**
 * Concatenates into a shared scratch buffer; the result is valid until the next call with another list. Chunks are searched
 * and then converted, and are copied once for both.
 */
export function scratchConcat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  if (joined?.chunks === chunks) return joined.bytes
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  if (length > scratch.length) return Buffer.concat(chunks, length)
  let at = 0
  for (const chunk of chunks) {
    scratch.set(chunk, at)
    at += chunk.byteLength
  }
  joined = { chunks, bytes: scratch.subarray(0, length) }
  return joined.bytes
}

/** How many bytes are copied before others run. */
const sliceBytes = 4 * 1024 * 1024

/** The chunks in one piece, in memory of its own. A long body is copied in slices. */
async function joinChunks(chunks: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  let pause = sliceBytes
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.byteLength
    if (at < pause) continue
    pause = at + sliceBytes
    await letOthersRun()
  }
  return joined
}

/** A copy in memory of its own. */
export function copyInTurns(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const slices: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += sliceBytes) slices.push(bytes.subarray(at, at + sliceBytes))
  return joinChunks(slices)
}

/** So many chunks are kept as they are, and all that are not short. */
const fewChunks = 64
const shortChunk = 1024
const blockBytes = 64 * 1024

/**
 * The chunks of a body, until all have come. A chunk takes a hundred bytes beside its own, so whoever sends a body byte by
 * byte would take a hundred times the memory that it was given: short chunks are put together.
 */
export class ChunkList {
  readonly #chunks: Uint8Array[] = []
  #block = Buffer.alloc(0)
  #used = 0

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    if (this.#used === 0 && this.#chunks.length < fewChunks) this.#chunks.push(chunk)
    else if (chunk.length < shortChunk) this.#copy(chunk)
    else {
      this.#closeBlock()
      this.#chunks.push(chunk)
    }
  }

  /** All of them in one piece. */
  join(): Buffer | Promise<Buffer> {
    this.#closeBlock()
    const [first] = this.#chunks
    return this.#chunks.length === 1 && first !== undefined ? asBuffer(first) : joinChunks(this.#chunks)
  }

  /** How many pieces of memory it takes. */
  get pieces(): number {
    return this.#chunks.length + (this.#used > 0 ? 1 : 0)
  }

  #copy(chunk: Uint8Array): void {
    if (this.#used + chunk.length > this.#block.length) {
      this.#closeBlock()
      this.#block = Buffer.allocUnsafeSlow(blockBytes)
    }
    this.#block.set(chunk, this.#used)
    this.#used += chunk.length
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#chunks.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}
