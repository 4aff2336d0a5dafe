const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** Chunks as one, mostly in memory that is used again at once: whoever gets them must not keep them. */
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
