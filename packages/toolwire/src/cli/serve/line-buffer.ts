/**
 * Collects the lines of one turn of the event loop and writes them together: under load, a write to a pipe costs more
 * than everything else about a line.
 */

export interface LineBuffer {
  /** Takes a line, its end included. It is written before the event loop turns, or the process exits. */
  write(line: string): void
  /** Writes what is left. Lines that come later are still written. */
  close(): void
}

/** Larger writes gain nothing. */
const enough = 16 * 1024

export function createLineBuffer(write: (lines: string) => void): LineBuffer {
  let lines = ''
  let isDue = false
  const flush = (): void => {
    isDue = false
    if (lines === '') return
    const gathered = lines
    lines = ''
    write(gathered)
  }
  process.on('exit', flush)
  return {
    write(line) {
      lines += line
      if (lines.length >= enough) flush()
      else if (!isDue) {
        isDue = true
        setImmediate(flush)
      }
    },
    close() {
      process.off('exit', flush)
      flush()
    },
  }
}
