/**
 * The fast path: most events of a stream repeat the one before, except for a single string. Such an event is recognised
 * by comparing text, so that only its string has to be parsed.
 */
import type { SseFrame } from '../../sse/sse-parser.ts'
import type { DeltaTemplate } from './delta-template.ts'
import { learnTemplate } from './delta-template.ts'

/** Where events never repeat, learning stops after this many attempts without a match. */
const maxFailedLessons = 32
const lineFeed = 10

export class RepeatedDelta {
  #template: DeltaTemplate | undefined
  #event: string | undefined
  /** The data has no line break, so that in a stream it is a single `data:` line. */
  #isOneLine = false
  #accept: (text: string) => void = () => undefined
  #failedLessons = 0
  /** The text of the last event that matched, and how it was written. */
  #text: string | undefined
  #escaped: string | undefined

  /**
   * The next events may match this one. Only the string of the field `key` varies, and `accept` does all that has to be
   * done with it. The values of `volatileFields` do not matter; everything else must mean the same when it is repeated.
   */
  learn(
    { event, data }: SseFrame,
    key: string,
    accept: (text: string) => void,
    volatileFields?: readonly string[],
  ): void {
    this.#template = undefined
    if (this.#failedLessons >= maxFailedLessons) return
    this.#failedLessons++
    // What servers write before the data.
    const head = event === undefined ? 'data: ' : `event: ${event}\ndata: `
    this.#template = learnTemplate(head, data, key, volatileFields)
    this.#isOneLine = !data.includes('\n')
    this.#event = event
    this.#accept = accept
  }

  /** If the event that starts at this position of the stream matches, its text is accepted: where it ends, or -1. */
  tryFastEvent(stream: string, start: number): number {
    const template = this.#template
    if (template === undefined || !this.#isOneLine) return -1
    const end = template.matchFrame(stream, start)
    const isComplete =
      end >= 0 && stream.charCodeAt(end) === lineFeed && stream.charCodeAt(end + 1) === lineFeed
    return isComplete && this.#acceptText(template) ? end + 2 : -1
  }

  /** The same for an event that has been cut out of the stream: whether it matched. */
  tryFrame({ event, data }: SseFrame): boolean {
    const template = this.#template
    if (template === undefined || event !== this.#event) return false
    return template.match(data, 0) === data.length && this.#acceptText(template)
  }

  /** How the source wrote this text between the quotes of JSON, if it is the text of the last event that matched. */
  escapedTextOf(text: string): string | undefined {
    return text === this.#text ? this.#escaped : undefined
  }

  #acceptText(template: DeltaTemplate): boolean {
    const text = template.text()
    if (text === undefined) return false
    this.#text = text
    this.#escaped = template.escaped
    this.#failedLessons = 0
    this.#accept(text)
    return true
  }
}
