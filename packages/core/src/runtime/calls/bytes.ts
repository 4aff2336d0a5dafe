/** Binary results: detects their media type and encodes them as Base64 without any platform API. */

/** The bytes of a byte buffer or view. An array of wider numbers is a list of numbers, so it has none. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof Uint8Array) return value
  if (value instanceof DataView || value instanceof Uint8ClampedArray)
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer || isSharedBuffer(value) ? new Uint8Array(value) : undefined
}

/** Not every platform has `SharedArrayBuffer`. */
function isSharedBuffer(value: object): value is SharedArrayBuffer {
  return typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer
}

const signatures: readonly {
  readonly mediaType: string
  readonly at: readonly (readonly [number, string])[]
}[] = [
  { mediaType: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { mediaType: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { mediaType: 'image/gif', at: [[0, 'GIF87a']] },
  { mediaType: 'image/gif', at: [[0, 'GIF89a']] },
  {
    mediaType: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { mediaType: 'application/pdf', at: [[0, '%PDF-']] },
]

/** Compares the first bytes with known signatures. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const has = ([offset, text]: readonly [number, string]): boolean =>
    Array.from(text).every((character, index) => bytes[offset + index] === character.charCodeAt(0))
  return signatures.find(({ at }) => at.every(has))?.mediaType
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** A multiple of 3, so that only the last chunk is padded; small enough for the arguments of one `fromCharCode`. */
const pieceLength = 6_000

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let start = 0; start < bytes.length; start += pieceLength)
    pieces.push(encodePiece(bytes.subarray(start, start + pieceLength)))
  return pieces.join('')
}

function encodePiece(bytes: Uint8Array): string {
  const codes: number[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const padding = '='.charCodeAt(0)
    codes.push(
      digits.charCodeAt(bits >> 18),
      digits.charCodeAt((bits >> 12) & 63),
      left > 1 ? digits.charCodeAt((bits >> 6) & 63) : padding,
      left > 2 ? digits.charCodeAt(bits & 63) : padding,
    )
  }
  return String.fromCharCode(...codes)
}
