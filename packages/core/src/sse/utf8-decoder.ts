/** Bytes to text, in any cut. Every runtime this library is for has `TextDecoder`; only the types here do not say so. */

interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string
}

const { TextDecoder } = globalThis as unknown as {
  TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Decoder
}

export function createUtf8Decoder(): (chunk: string | Uint8Array | undefined) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return chunk => {
    if (typeof chunk === 'string') return chunk
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  }
}
