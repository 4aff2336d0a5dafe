/**
 * Collects lines and writes them together: under load, a write to a pipe costs more than everything else about a line. The
 * first line after a pause is written before the event loop turns, and those that follow it closely after a moment.
 */

export interface LineBuffer {
  /** Takes a line, its end included. It is written soon, or when the process exits. */
  write(line: string): void
  /** Writes what is left. Lines that come later are still written. */
  close(): void
}

/** Larger writes gain nothing. */
const enough = 16 * 1024
const momentMs = 20

/** `most`: how many bytes are written together; a longer line is written alone. */
export function createLineBuffer(write: (lines: string) => void, most?: number): LineBuffer {
  let lines = ''
  let isDue = false
  const flush = (): void => {
    if (lines === '') return
    const gathered = lines
    lines = ''
    write(gathered)
  }
  const afterMoment = (): void => {
    isDue = lines !== ''
    flush()
    if (isDue) setTimeout(afterMoment, momentMs).unref()
  }
  process.on('exit', flush)
  return {
    write(line) {
      if (most !== undefined && lines !== '' && Buffer.byteLength(lines + line) > most) flush()
      lines += line
      if (lines.length >= enough) flush()
      else if (!isDue) {
        isDue = true
        setImmediate(afterMoment)
      }
    },
    close() {
      process.off('exit', flush)
      flush()
    },
  }
}
