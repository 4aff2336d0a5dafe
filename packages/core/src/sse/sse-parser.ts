/**
 * Parses server-sent events by the WHATWG rules from text that may be cut anywhere: lines end in CR, LF or CRLF, the
 * `data` lines of one event are joined, comments are skipped. Unlike a browser it also returns a last event without a
 * blank line, because some servers omit that line after the event that ends the answer.
 */

export interface SseFrame {
  readonly event?: string
  readonly data: string
}

/** Receives the events of a text one by one. */
export interface SseListener {
  onFrame(frame: SseFrame): void
  /**
   * Called where an event may begin. A listener that recognises the event handles it and returns the position after its
   * blank line; -1 leaves the event to the parser.
   */
  tryFastEvent(text: string, start: number): number
}

export interface SseParser {
  push(text: string): SseFrame[]
  /** Like `push`, but passes the events to a listener. */
  parse(text: string, listener: SseListener): void
  /** The events that remain when the text ends. */
  end(): SseFrame[]
  /** How many characters of an unfinished event were received, without comments. */
  readonly pendingLength: number
  /** How many characters of the last text belong to finished events. */
  readonly completedLength: number
  /** Set when a line or an event is too long; nothing is parsed after that. */
  readonly exceeded: string | undefined
}

export function createSseParser(maxEventLength: number = 64 * 1024 * 1024): SseParser {
  return new Parser(maxEventLength)
}

class Parser implements SseParser {
  exceeded: string | undefined
  completedLength = 0
  readonly #maxEventLength: number
  /** The pieces of a line that has not ended yet. */
  #pieces: string[] = []
  #pending = 0
  #event: string | undefined
  #data: string[] = []
  #size = 0
  #afterReturn = false
  #isFirst = true

  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength
  }

  get pendingLength(): number {
    const isComment = this.#pieces[0]?.startsWith(':') ?? false
    return isComment ? this.#size : this.#size + this.#pending
  }

  push(text: string): SseFrame[] {
    const frames: SseFrame[] = []
    this.parse(text, collector(frames))
    return frames
  }

  parse(text: string, listener: SseListener): void {
    this.completedLength = 0
    if (this.exceeded !== undefined) return
    let start = this.#begin(text)
    // The next LF and CR are searched separately and only when passed, since most texts have only one of them.
    let lineFeed = -1
    let carriageReturn = -1
    while (this.exceeded === undefined) {
      start = this.#tryFastEvents(text, start, listener)
      if (start === text.length) break
      if (lineFeed < start) lineFeed = find(text, '\n', start)
      if (carriageReturn < start) carriageReturn = find(text, '\r', start)
      const end = Math.min(lineFeed, carriageReturn)
      if (end === Number.POSITIVE_INFINITY) break
      this.#readLine(this.#completeLine(text.slice(start, end)), listener)
      start = end + 1
      if (end !== carriageReturn) continue
      if (start === text.length) this.#afterReturn = true
      else if (lineFeed === start) start++
    }
    if (start < text.length) this.#buffer(text.slice(start))
  }

  end(): SseFrame[] {
    const frames: SseFrame[] = []
    if (this.exceeded !== undefined) return frames
    const listener = collector(frames)
    if (this.#pieces.length > 0) this.#readLine(this.#completeLine(''), listener)
    this.#emit(listener)
    return frames
  }

  /** The start of the text's first line, after a byte order mark or the rest of a line end. */
  #begin(text: string): number {
    if (text.length === 0) return 0
    const start = this.#isFirst && text.charCodeAt(0) === 0xfeff ? 1 : 0
    this.#isFirst = false
    if (!this.#afterReturn || text.length === start) return start
    this.#afterReturn = false
    // The previous text ended in CR. This LF completes that CRLF; it is not a blank line.
    return text.charCodeAt(start) === 10 ? start + 1 : start
  }

  /** Offers events to the listener's fast path. The rest of the text limits how long such an event can be. */
  #tryFastEvents(text: string, start: number, listener: SseListener): number {
    const isBetweenEvents = this.#pieces.length === 0 && this.#data.length === 0 && this.#event === undefined
    if (!isBetweenEvents) return start
    let at = start
    if (text.length - start <= this.#maxEventLength) {
      for (let end = start; end >= 0 && at < text.length; end = listener.tryFastEvent(text, at)) at = end
    }
    this.completedLength = at
    return at
  }

  #completeLine(line: string): string {
    if (this.#pieces.length === 0) return line
    this.#pieces.push(line)
    const complete = this.#pieces.join('')
    this.#pieces = []
    this.#pending = 0
    return complete
  }

  #buffer(piece: string): void {
    this.#pieces.push(piece)
    this.#pending += piece.length
    if (this.#pending > this.#maxEventLength) {
      this.exceeded = `A line is longer than ${this.#maxEventLength} characters.`
    }
  }

  #readLine(line: string, listener: SseListener): void {
    if (line === '') this.#emit(listener)
    // Fast path: nearly every line starts like this.
    else if (line.startsWith('data: ')) this.#addData(line.slice(6))
    else if (!line.startsWith(':')) this.#readField(line)
  }

  #readField(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#event = rest
    else if (field === 'data') this.#addData(rest)
  }

  #addData(text: string): void {
    this.#data.push(text)
    this.#size += text.length
    if (this.#size > this.#maxEventLength) {
      this.exceeded = `An event is longer than ${this.#maxEventLength} characters.`
    }
  }

  #emit(listener: SseListener): void {
    const event = this.#event
    const data = this.#data
    this.#event = undefined
    this.#size = 0
    if (data.length === 0) return
    this.#data = []
    const text = data.length === 1 ? (data[0] ?? '') : data.join('\n')
    listener.onFrame(event === undefined ? { data: text } : { data: text, event })
  }
}

function collector(frames: SseFrame[]): SseListener {
  return { onFrame: frame => void frames.push(frame), tryFastEvent: () => -1 }
}

function find(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}
