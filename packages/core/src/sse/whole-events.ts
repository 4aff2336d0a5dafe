/** Lets text through in whole events only: what is not closed by a blank line yet waits for the rest. */

export interface WholeEvents {
  push(text: string): string
  /** What still waits. */
  flush(): string
  /** The event that is over but for the LF of its blank line, with that line. */
  flushEnded(): string
}

/** A blank line, whichever way lines end. */
const blankLines = ['\n\n', '\n\r\n', '\r\r'] as const

export function createWholeEvents(): WholeEvents {
  let waiting: string[] = []
  /** The last characters that wait: a blank line may begin in them. */
  let tail = ''
  const flush = (): string => {
    const text = waiting.join('')
    waiting = []
    tail = ''
    return text
  }
  return {
    push(text) {
      if (text === '') return ''
      // How nearly every packet ends.
      if (text.endsWith('\n\n')) {
        if (waiting.length === 0) return text
        waiting.push(text)
        return flush()
      }
      const seen = tail + text
      const end = Math.max(...blankLines.map(line => endOfLast(seen, line))) - tail.length
      if (end <= 0) {
        waiting.push(text)
        tail = seen.slice(-2)
        return ''
      }
      waiting.push(text.slice(0, end))
      const passed = flush()
      const rest = text.slice(end)
      if (rest !== '') waiting.push(rest)
      tail = rest.slice(-2)
      return passed
    },
    flush,
    flushEnded: () => (tail === '\n\r' ? `${flush()}\n` : ''),
  }
}

function endOfLast(text: string, line: string): number {
  const at = text.lastIndexOf(line)
  return at < 0 ? -1 : at + line.length
}
