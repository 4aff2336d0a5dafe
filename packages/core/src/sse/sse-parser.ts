/**
 * Server-sent events from text in any cut, by the WHATWG rules: lines end in CR, LF or both, `data` lines of one
 * event are joined, comments are skipped. Unlike a browser, it also gives the last event when no blank line ends it,
 * because servers forget that line and the event is the one that matters.
 */

export interface SseFrame {
  readonly event?: string
  readonly data: string
}

/** Hears the events of a text one by one. */
export interface SseListener {
  take(frame: SseFrame): void
  /**
   * An event may begin at this place of the text. Whoever knows it by its letters takes it and says where it ends,
   * behind its blank line; -1 leaves it to the parser.
   */
  tryFastEvent(text: string, start: number): number
}

export interface SseParser {
  push(text: string): SseFrame[]
  /** The same, told to a listener. */
  flush(text: string, listener: SseListener): void
  /** What is left when the text ends. */
  end(): SseFrame[]
  /** How many characters have come of an event that is not over. Comments are no part of it. */
  readonly unfinished: number
  /** How much of the text that came last belongs to events that are over. */
  readonly received: number
  /** Why no more is read: a peer sent a line or an event without end. */
  readonly exceeded: string | undefined
}

export function createSseParser(maxEventLength: number = 64 * 1024 * 1024): SseParser {
  return new Parser(maxEventLength)
}

class Parser implements SseParser {
  exceeded: string | undefined
  received = 0
  readonly #maxEventLength: number
  /** The beginning of a line that has not ended yet. */
  #pieces: string[] = []
  #pending = 0
  #event: string | undefined
  #data: string[] = []
  #size = 0
  #afterReturn = false
  #first = true

  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength
  }

  get unfinished(): number {
    const isComment = this.#pieces[0]?.startsWith(':') ?? false
    return isComment ? this.#size : this.#size + this.#pending
  }

  push(text: string): SseFrame[] {
    const frames: SseFrame[] = []
    this.flush(text, collecting(frames))
    return frames
  }

  flush(text: string, listener: SseListener): void {
    this.received = 0
    if (this.exceeded !== undefined) return
    let start = this.#begin(text)
    // Each kind of line end is looked for once in the whole text, since most texts have only one of them.
    let feed = -1
    let carriage = -1
    while (this.exceeded === undefined) {
      start = this.#skim(text, start, listener)
      if (start === text.length) break
      if (feed < start) feed = seek(text, '\n', start)
      if (carriage < start) carriage = seek(text, '\r', start)
      const end = Math.min(feed, carriage)
      if (end === Number.POSITIVE_INFINITY) break
      this.#takeLine(this.#completed(text.slice(start, end)), listener)
      start = end + 1
      if (end !== carriage) continue
      if (start === text.length) this.#afterReturn = true
      else if (feed === start) start++
    }
    if (start < text.length) this.#keep(text.slice(start))
  }

  end(): SseFrame[] {
    const frames: SseFrame[] = []
    if (this.exceeded !== undefined) return frames
    const listener = collecting(frames)
    if (this.#pieces.length > 0) this.#takeLine(this.#completed(''), listener)
    this.#flush(listener)
    return frames
  }

  /** Where the first line of the text begins. */
  #begin(text: string): number {
    if (text.length === 0) return 0
    const start = this.#first && text.charCodeAt(0) === 0xfeff ? 1 : 0
    this.#first = false
    if (!this.#afterReturn || text.length === start) return start
    this.#afterReturn = false
    // The LF of a CRLF that was cut in two ends nothing.
    return text.charCodeAt(start) === 10 ? start + 1 : start
  }

  /** Passes the events that the listener knows. What is left of the text bounds how long they can be. */
  #skim(text: string, start: number, listener: SseListener): number {
    const isBetween = this.#pieces.length === 0 && this.#data.length === 0 && this.#event === undefined
    if (!isBetween) return start
    let at = start
    if (text.length - start <= this.#maxEventLength) {
      for (let end = start; end >= 0 && at < text.length; end = listener.tryFastEvent(text, at)) at = end
    }
    this.received = at
    return at
  }

  #completed(line: string): string {
    if (this.#pieces.length === 0) return line
    this.#pieces.push(line)
    const whole = this.#pieces.join('')
    this.#pieces = []
    this.#pending = 0
    return whole
  }

  #keep(piece: string): void {
    this.#pieces.push(piece)
    this.#pending += piece.length
    if (this.#pending > this.#maxEventLength) {
      this.exceeded = `A line is longer than ${this.#maxEventLength} characters.`
    }
  }

  #takeLine(line: string, listener: SseListener): void {
    if (line === '') this.#flush(listener)
    // What nearly every line looks like.
    else if (line.startsWith('data: ')) this.#takeData(line.slice(6))
    else if (!line.startsWith(':')) this.#takeField(line)
  }

  #takeField(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#event = rest
    else if (field === 'data') this.#takeData(rest)
  }

  #takeData(text: string): void {
    this.#data.push(text)
    this.#size += text.length
    if (this.#size > this.#maxEventLength) {
      this.exceeded = `An event is longer than ${this.#maxEventLength} characters.`
    }
  }

  #flush(listener: SseListener): void {
    const event = this.#event
    const data = this.#data
    this.#event = undefined
    this.#size = 0
    if (data.length === 0) return
    this.#data = []
    const text = data.length === 1 ? (data[0] ?? '') : data.join('\n')
    listener.take(event === undefined ? { data: text } : { data: text, event })
  }
}

function collecting(frames: SseFrame[]): SseListener {
  return { take: frame => void frames.push(frame), tryFastEvent: () => -1 }
}

function seek(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}
