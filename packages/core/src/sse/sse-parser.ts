/**
 * Server-sent events from text in any cut, by the WHATWG rules: lines end in CR, LF or both, `data` lines of one
 * event are joined, comments are skipped. Unlike a browser, it also gives the last event when no blank line ends it,
 * because servers forget that line and the event is the one that matters.
 */

export interface SseFrame {
  readonly event?: string
  readonly data: string
}

export interface SseParser {
  push(text: string): SseFrame[]
  /** What is left when the text ends. */
  end(): SseFrame[]
  /** Why no more is read: a peer sent a line or an event without end. */
  readonly exceeded: string | undefined
}

export function createSseParser(maxEventLength: number = 64 * 1024 * 1024): SseParser {
  let pieces: string[] = []
  let pending = 0
  let event: string | undefined
  let data: string[] = []
  let size = 0
  let afterReturn = false
  let first = true
  let exceeded: string | undefined

  const takeData = (text: string): void => {
    data.push(text)
    size += text.length
    if (size > maxEventLength) exceeded = `An event is longer than ${maxEventLength} characters.`
  }

  const takeLine = (line: string, frames: SseFrame[]): void => {
    if (line === '') flush(frames)
    // What nearly every line looks like.
    else if (line.startsWith('data: ')) takeData(line.slice(6))
    else if (!line.startsWith(':')) takeField(line)
  }

  const takeField = (line: string): void => {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') event = rest
    else if (field === 'data') takeData(rest)
  }

  const flush = (frames: SseFrame[]): void => {
    if (data.length > 0) {
      const text = data.length === 1 ? (data[0] ?? '') : data.join('\n')
      frames.push(event === undefined ? { data: text } : { data: text, event })
      data = []
    }
    event = undefined
    size = 0
  }

  return {
    get exceeded() {
      return exceeded
    },
    push(text) {
      const frames: SseFrame[] = []
      if (exceeded !== undefined) return frames
      let start = 0
      if (first && text.length > 0) {
        first = false
        if (text.charCodeAt(0) === 0xfeff) start = 1
      }
      if (afterReturn && text.length > start) {
        // The LF of a CRLF that was cut in two ends nothing.
        if (text.charCodeAt(start) === 10) start++
        afterReturn = false
      }
      // Each kind of line end is looked for once in the whole text, since most texts have only one of them.
      let feed = text.indexOf('\n', start)
      let carriage = text.indexOf('\r', start)
      while ((feed !== -1 || carriage !== -1) && exceeded === undefined) {
        const end = carriage === -1 || (feed !== -1 && feed < carriage) ? feed : carriage
        const line = text.slice(start, end)
        takeLine(pieces.length === 0 ? line : [...pieces, line].join(''), frames)
        if (pieces.length > 0) pieces = []
        pending = 0
        start = end + 1
        if (end === carriage) {
          if (start === text.length) afterReturn = true
          else if (feed === start) start++
          carriage = text.indexOf('\r', start)
        }
        if (feed !== -1 && feed < start) feed = text.indexOf('\n', start)
      }
      if (start < text.length) {
        pieces.push(text.slice(start))
        pending += text.length - start
        if (pending > maxEventLength) exceeded = `A line is longer than ${maxEventLength} characters.`
      }
      return frames
    },
    end() {
      const frames: SseFrame[] = []
      if (exceeded !== undefined) return frames
      if (pieces.length > 0) takeLine(pieces.join(''), frames)
      pieces = []
      flush(frames)
      return frames
    },
  }
}
