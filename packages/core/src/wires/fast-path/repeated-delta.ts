/**
 * Most events of a stream repeat the one before them but for a single text. Such an event is recognised by its letters,
 * so that nothing but its text has to be read.
 */
import type { SseFrame } from '../../sse/sse-parser.ts'
import type { DeltaTemplate } from './delta-template.ts'
import { learnTemplate } from './delta-template.ts'

/** How texts are written in the source, as far as that is known. */
export interface EscapedSource {
  /** The text as it stands between the quotes of JSON, if it is the one that came last. */
  escapedTextOf(text: string): string | undefined
}

export interface RepeatedDelta extends EscapedSource {
  /** Whether the event repeats the one that was learnt; then its text has been told. */
  tell(frame: SseFrame): boolean
  /** The same of an event that begins at this place of a stream: where it ends, or -1. */
  tryFastEvent(stream: string, start: number): number
  /**
   * All that is new in this event is the text of the field `key`, and `take` is all that is done with it. Everything
   * else in it must mean the same when it is said again; of fields that are `passing`, any number or text does.
   */
  learn(frame: SseFrame, key: string, take: (text: string) => void, passing?: readonly string[]): void
}

/** Where events never repeat, there is nothing to be won by trying. */
const mostVainLessons = 32

export function createRepeatedDelta(): RepeatedDelta {
  return new Repeated()
}

class Repeated implements RepeatedDelta {
  #letters: DeltaTemplate | undefined
  #event: string | undefined
  /** The data of such an event is one line of a stream. */
  #isOneLine = false
  #take: (text: string) => void = () => undefined
  #vain = 0
  /** What was heard last, and how it was written. */
  #text: string | undefined
  #spelling: string | undefined

  tell({ event, data }: SseFrame): boolean {
    const letters = this.#letters
    if (letters === undefined || event !== this.#event) return false
    return letters.match(data, 0) === data.length && this.#hear(letters)
  }

  tryFastEvent(stream: string, start: number): number {
    const letters = this.#letters
    if (letters === undefined || !this.#isOneLine) return -1
    const end = letters.matchBehindHead(stream, start)
    const isWhole = end >= 0 && stream.charCodeAt(end) === lineFeed && stream.charCodeAt(end + 1) === lineFeed
    return isWhole && this.#hear(letters) ? end + 2 : -1
  }

  learn(
    { event, data }: SseFrame,
    key: string,
    take: (text: string) => void,
    passing?: readonly string[],
  ): void {
    this.#letters = undefined
    if (this.#vain >= mostVainLessons) return
    this.#vain++
    // As servers write it before the data.
    const head = event === undefined ? 'data: ' : `event: ${event}\ndata: `
    this.#letters = learnTemplate(head, data, key, passing)
    this.#isOneLine = !data.includes('\n')
    this.#event = event
    this.#take = take
  }

  escapedTextOf(text: string): string | undefined {
    return text === this.#text ? this.#spelling : undefined
  }

  #hear(letters: DeltaTemplate): boolean {
    const text = letters.text()
    if (text === undefined) return false
    this.#text = text
    this.#spelling = letters.spelling
    this.#vain = 0
    this.#take(text)
    return true
  }
}

const lineFeed = 10
