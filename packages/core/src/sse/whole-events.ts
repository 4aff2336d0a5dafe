/** Splits text after complete events: text of an event without its blank line is buffered until the rest arrives. */

export interface WholeEvents {
  /** Returns the text of all complete events. */
  push(text: string): string
  /** Returns the buffered text. */
  flush(): string
  /** Returns an event that lacks only the LF of its blank line, with that line completed; otherwise `''`. */
  flushEnded(): string
}

/** The ways in which an event can end. */
const blankLines = ['\n\n', '\n\r\n', '\r\r'] as const

export function createWholeEvents(): WholeEvents {
  let buffered: string[] = []
  /** The last two buffered characters, in which a blank line may begin. */
  let tail = ''
  const flush = (): string => {
    const text = buffered.join('')
    buffered = []
    tail = ''
    return text
  }
  return {
    push(text) {
      if (text === '') return ''
      // Fast path: nearly every packet ends like this.
      if (text.endsWith('\n\n')) {
        if (buffered.length === 0) return text
        buffered.push(text)
        return flush()
      }
      const seen = tail + text
      const end = Math.max(...blankLines.map(line => endOfLast(seen, line))) - tail.length
      if (end <= 0) {
        buffered.push(text)
        tail = seen.slice(-2)
        return ''
      }
      buffered.push(text.slice(0, end))
      const complete = flush()
      const rest = text.slice(end)
      if (rest !== '') buffered.push(rest)
      tail = rest.slice(-2)
      return complete
    },
    flush,
    flushEnded: () => (tail === '\n\r' ? `${flush()}\n` : ''),
  }
}

function endOfLast(text: string, line: string): number {
  const at = text.lastIndexOf(line)
  return at < 0 ? -1 : at + line.length
}
