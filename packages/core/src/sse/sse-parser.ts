/**
 * Parses server-sent events by the WHATWG rules from text that may be cut anywhere: lines end in CR, LF or CRLF, the
 * `data` lines of one event are joined, comments are skipped. Unlike a browser it also returns a last event without a
 * blank line, because some servers omit that line after the event that ends the answer.
 */

export interface SseFrame {
  readonly event?: string
  readonly data: string
}

/** Divides the text of a stream into frames. */
export interface FrameReader {
  /** The frames that this text completes. */
  push(text: string): SseFrame[]
  /** The frames that remain when the text ends. */
  end(): SseFrame[]
  /** How many characters of an unfinished frame were received, without comments. */
  readonly pendingLength: number
  /** How many characters of the last text belong to finished frames. */
  readonly completedLength: number
  /** Set when a line or a frame is too long; nothing is read after that. */
  readonly exceeded: string | undefined
}

export function createSseParser(maxEventLength: number = 64 * 1024 * 1024): SseParser {
  return new SseParser(maxEventLength)
}

/** Also reads frame by frame, for a caller that reads some of them itself. */
export class SseParser implements FrameReader {
  exceeded: string | undefined
  completedLength = 0
  readonly #maxEventLength: number
  #text = ''
  #at = 0
  // The next LF and CR are searched separately and only when passed, since most texts have only one of them.
  #lineFeed = -1
  #carriageReturn = -1
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

  /** Where the next frame starts in the text; -1 if the last text ended inside of it. */
  get position(): number {
    const isBetweenEvents = this.#pieces.length === 0 && this.#data.length === 0 && this.#event === undefined
    return isBetweenEvents ? this.#at : -1
  }

  push(text: string): SseFrame[] {
    const frames: SseFrame[] = []
    this.feed(text)
    for (let frame = this.next(); frame !== undefined; frame = this.next()) frames.push(frame)
    return frames
  }

  /** Sets the next text. `next` must have returned all frames of the text before. */
  feed(text: string): void {
    this.#text = text
    this.#at = this.#begin(text)
    this.#lineFeed = -1
    this.#carriageReturn = -1
    this.completedLength = Math.max(0, this.position)
  }

  next(): SseFrame | undefined {
    const text = this.#text
    while (this.exceeded === undefined && this.#at < text.length) {
      const start = this.#at
      if (this.#lineFeed < start) this.#lineFeed = find(text, '\n', start)
      if (this.#carriageReturn < start) this.#carriageReturn = find(text, '\r', start)
      const end = Math.min(this.#lineFeed, this.#carriageReturn)
      if (end === Number.POSITIVE_INFINITY) {
        this.#at = text.length
        this.#buffer(text.slice(start))
        break
      }
      this.#at = this.#afterLineEnd(end)
      const frame = this.#readLine(this.#completeLine(text.slice(start, end)))
      if (this.position >= 0) this.completedLength = this.#at
      if (frame !== undefined) return frame
    }
    return undefined
  }

  /** The caller has read the frames up to this position. */
  skipTo(position: number): void {
    this.#at = position
    this.completedLength = position
  }

  end(): SseFrame[] {
    if (this.exceeded !== undefined) return []
    if (this.#pieces.length > 0) this.#readLine(this.#completeLine(''))
    const frame = this.#takeFrame()
    return frame === undefined ? [] : [frame]
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

  #afterLineEnd(end: number): number {
    if (end !== this.#carriageReturn) return end + 1
    if (end + 1 === this.#text.length) this.#afterReturn = true
    return this.#lineFeed === end + 1 ? end + 2 : end + 1
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

  /** Returns the frame that this line ends, if it is a blank line. */
  #readLine(line: string): SseFrame | undefined {
    if (line === '') return this.#takeFrame()
    // Fast path: nearly every line starts like this.
    if (line.startsWith('data: ')) this.#addData(line.slice(6))
    else if (!line.startsWith(':')) this.#readField(line)
    return undefined
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

  #takeFrame(): SseFrame | undefined {
    const event = this.#event
    const data = this.#data
    this.#event = undefined
    this.#size = 0
    if (data.length === 0) return undefined
    this.#data = []
    const text = data.length === 1 ? (data[0] ?? '') : data.join('\n')
    return event === undefined ? { data: text } : { data: text, event }
  }
}

function find(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}
