/**
 * Cuts long frames of a WebSocket into short ones, as a client could have sent them. Whoever reads frames takes off the mask
 * of a whole frame at once, and 60 MB of it would hold the event loop for a quarter of a second; pieces are read as they come.
 */

/** A multiple of four, so that each piece begins with the first byte of the mask. */
export const pieceBytes: number = 64 * 1024

const fin = 0x80
const isMasked = 0x80
const short = 126
const long = 127

export class FrameSplitter {
  readonly #most: number
  /** The beginning of a header that has not come completely. */
  #beginning = Buffer.alloc(0)
  /** Of the payload, what has not come yet: of the frame, and of the piece of it. */
  #left = 0
  #inPiece = 0
  /** The first byte of the next piece, and the mask of all of them. */
  #firstByte = 0
  #isLast = 0
  #mask = Buffer.alloc(0)

  /** `most`: longer frames are refused for their header, which must be seen as it is. */
  constructor(most: number) {
    this.#most = most
  }

  *take(chunk: Buffer): Generator<Buffer, void, undefined> {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const header = this.#header(rest)
        if (header === undefined) return
        rest = rest.subarray(header.used)
        if (header.bytes !== undefined) yield header.bytes
        continue
      }
      if (this.#inPiece === 0) yield this.#nextPiece()
      const payload = rest.subarray(0, this.#inPiece)
      rest = rest.subarray(payload.length)
      this.#inPiece -= payload.length
      this.#left -= payload.length
      yield payload
    }
  }

  /** `bytes`: of a frame that stays as it is. `used`: how many of the given ones are the header's. */
  #header(given: Buffer): { readonly used: number; readonly bytes?: Buffer } | undefined {
    const before = this.#beginning.length
    const bytes = before === 0 ? given : Buffer.concat([this.#beginning, given.subarray(0, 14)])
    const end = headerLength(bytes)
    if (end === undefined || bytes.length < end) {
      this.#beginning = Buffer.from(bytes)
      return undefined
    }
    this.#beginning = Buffer.alloc(0)
    const header = Buffer.from(bytes.subarray(0, end))
    const [first = 0, second = 0] = header
    const length = payloadLength(header)
    this.#left = length
    const isData = (first & 0x0f) < 8
    if (isData && (second & isMasked) !== 0 && length > pieceBytes && length <= this.#most) {
      this.#firstByte = first & ~fin
      this.#isLast = first & fin
      this.#mask = header.subarray(end - 4)
      return { used: end - before }
    }
    this.#inPiece = length
    return { used: end - before, bytes: header }
  }

  #nextPiece(): Buffer {
    this.#inPiece = Math.min(pieceBytes, this.#left)
    const header = Buffer.alloc(10)
    header[0] = this.#firstByte | (this.#inPiece === this.#left ? this.#isLast : 0)
    header[1] = isMasked | long
    header.writeUInt32BE(this.#inPiece, 6)
    // Those that follow continue it.
    this.#firstByte = 0
    return Buffer.concat([header, this.#mask])
  }
}

function headerLength([, second]: Buffer): number | undefined {
  if (second === undefined) return undefined
  const length = second & 0x7f
  return 2 + (length === long ? 8 : length === short ? 2 : 0) + ((second & isMasked) === 0 ? 0 : 4)
}

function payloadLength(header: Buffer): number {
  const length = (header[1] ?? 0) & 0x7f
  if (length === long) return header.readUInt32BE(2) * 2 ** 32 + header.readUInt32BE(6)
  return length === short ? header.readUInt16BE(2) : length
}
