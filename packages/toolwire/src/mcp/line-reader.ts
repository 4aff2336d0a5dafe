/** Splits chunks of bytes into lines. Each byte is copied once, so that the time is linear for long lines too. */

export interface LineReaderOptions {
  readonly maxBytes: number
  onLine(line: string): void
  /** A line is too long. What was read of it is dropped. */
  onTooLong(): void
}

const newline = 0x0a

export function createLineReader({
  maxBytes,
  onLine,
  onTooLong,
}: LineReaderOptions): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  let length = 0
  const add = (piece: Buffer): boolean => {
    length += piece.length
    if (length <= maxBytes) return pieces.push(piece) > 0
    pieces = []
    length = 0
    onTooLong()
    return false
  }
  return chunk => {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (add(chunk.subarray(start, end))) onLine(Buffer.concat(pieces).toString('utf8').replace(/\r$/, ''))
      pieces = []
      length = 0
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
}
