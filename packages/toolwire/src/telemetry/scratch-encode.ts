/** What one unit of a string takes in UTF-8. */
export const mostBytesOfUnit = 3

const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** A text as bytes, mostly in memory that is used again at once: whoever gets them must not keep them. */
export function scratchEncode(text: string): Uint8Array {
  if (mostBytesOfUnit * text.length > scratch.length) return Buffer.from(text)
  return scratch.subarray(0, scratch.write(text))
}
