/** Bytes to text, in any cut. Every runtime this library is for has `TextDecoder`; only the types here do not say so. */

interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string
}

const { TextDecoder } = globalThis as unknown as {
  TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Decoder
}

export function createUtf8Decoder(): (chunk: string | Uint8Array | undefined) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // A chunk that ends in an ASCII byte leaves nothing to be remembered, and is decoded much faster on its own.
  let isClean = true
  return chunk => {
    if (typeof chunk === 'string') return chunk
    if (chunk === undefined) return decoder.decode()
    const endsWhole = (chunk[chunk.length - 1] ?? 0) < 0x80
    const isAlone = isClean && endsWhole
    isClean = chunk.length === 0 ? isClean : endsWhole
    return isAlone ? decoder.decode(chunk) : decoder.decode(chunk, { stream: true })
  }
}
