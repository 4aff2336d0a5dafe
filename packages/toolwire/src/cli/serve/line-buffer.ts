/** Collects lines and writes them together: under load, a write to a pipe costs more than everything else about a line. */

export interface LineBuffer {
  /** Takes a line, its end included. */
  write(line: string): void
  /** Writes what was taken. */
  flush(): void
}

/** Larger writes gain nothing. */
const enough = 16 * 1024

/** `most`: how many bytes are written together; a longer line is written alone. */
export function createLineBuffer(write: (lines: string) => void, most?: number): LineBuffer {
  let lines = ''
  let bytes = 0
  const flush = (): void => {
    if (lines === '') return
    const gathered = lines
    lines = ''
    bytes = 0
    write(gathered)
  }
  return {
    write(line) {
      if (most !== undefined) {
        const length = Buffer.byteLength(line)
        if (bytes + length > most) flush()
        bytes += length
      }
      lines += line
      if (lines.length >= enough) flush()
    },
    flush,
  }
}
