/** Bytes to text. Invalid UTF-8 is an error and is not silently replaced. */

/** Where and why bytes are not a text. */
export class EncodingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EncodingError'
  }
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const offset = firstInvalidByte(bytes)
    const hint = looksLikeUtf16(bytes) ? '; it looks like UTF-16' : ''
    throw new EncodingError(`not UTF-8 at byte ${offset}${hint}. Save it as UTF-8`)
  }
}

/** The lenient decoder keeps valid bytes, so offsets agree up to the first replacement character. */
function firstInvalidByte(bytes: Uint8Array): number {
  let offset = 0
  for (const char of new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)) {
    if (char === '\ufffd' && !isReplacementCharacter(bytes, offset)) return offset
    offset += Buffer.byteLength(char)
  }
  return offset
}

function isReplacementCharacter(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd
}

function looksLikeUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
