/** Frames of a stream: one line of JSON each. A blank line keeps the connection alive; a `note` is for people. */
import type { FrameReader, SseFrame, StreamFrames, WholeEvents } from '@toolwire/core/wires'

class LineReader implements FrameReader {
  exceeded: string | undefined
  completedLength = 0
  readonly #longest: number
  #rest = ''

  constructor(longest: number) {
    this.#longest = longest
  }

  get pendingLength(): number {
    return this.#rest.length
  }

  push(text: string): SseFrame[] {
    const frames: SseFrame[] = []
    this.completedLength = 0
    if (this.exceeded !== undefined) return frames
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const data = this.#rest + text.slice(start, end)
      this.#rest = ''
      if (this.#isTooLong(data)) return frames
      start = end + 1
      this.completedLength = start
      if (data.trim() !== '') frames.push({ data })
    }
    this.#rest += text.slice(start)
    this.#isTooLong(this.#rest)
    return frames
  }

  end(): SseFrame[] {
    const data = this.#rest
    this.#rest = ''
    return data.trim() === '' || this.exceeded !== undefined ? [] : [{ data }]
  }

  #isTooLong({ length }: string): boolean {
    if (length > this.#longest) this.exceeded = `A line is longer than ${this.#longest} characters.`
    return this.exceeded !== undefined
  }
}

function createGate(): WholeEvents {
  let waiting = ''
  const flush = (): string => {
    const text = waiting
    waiting = ''
    return text
  }
  return {
    push(text) {
      const end = text.lastIndexOf('\n') + 1
      if (end === 0) {
        waiting += text
        return ''
      }
      const passed = flush() + text.slice(0, end)
      waiting = text.slice(end)
      return passed
    },
    flush,
    flushEnded: () => '',
  }
}

export const lineFrames: StreamFrames = {
  contentType: 'application/x-ndjson',
  createReader: longest => new LineReader(longest),
  keepAlive: '\n',
  isKeepAlive: ({ data }) => data.trim() === '' || data.startsWith('{"note":'),
  comment: text => `${JSON.stringify({ note: text })}\n`,
  createGate,
  terminator: '\n',
}
