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

/** The chunks in one piece, in memory of its own where they had to be copied. A long body is copied in slices. */
export async function joinChunks(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return asBuffer(first)
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
