/** Decodes UTF-8 bytes that may be cut anywhere. All supported runtimes have `TextDecoder`; the types here do not. */

interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string
}

const { TextDecoder } = globalThis as unknown as {
  TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Decoder
}

export function createUtf8Decoder(): (chunk: string | Uint8Array | undefined) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // A chunk that ends in an ASCII byte leaves no incomplete character, and decoding without `stream` is much faster.
  let hasNoRest = true
  return chunk => {
    if (typeof chunk === 'string') return chunk
    if (chunk === undefined) return decoder.decode()
    const endsInAscii = (chunk[chunk.length - 1] ?? 0) < 0x80
    const needsNoStream = hasNoRest && endsInAscii
    hasNoRest = chunk.length === 0 ? hasNoRest : endsInAscii
    return needsNoStream ? decoder.decode(chunk) : decoder.decode(chunk, { stream: true })
  }
}
