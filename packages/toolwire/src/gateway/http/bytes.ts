/** Working with bytes without copying them. */

/** The same bytes as a `Buffer`; the memory is shared. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** Concatenates into a shared scratch buffer; the result is valid until the next call. */
export function scratchConcat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  if (length > scratch.length) return Buffer.concat(chunks, length)
  let at = 0
  for (const chunk of chunks) {
    scratch.set(chunk, at)
    at += chunk.byteLength
  }
  return scratch.subarray(0, length)
}
