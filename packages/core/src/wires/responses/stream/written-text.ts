/**
 * A text that is written in pieces, and complete at the end: the escaped pieces are used again for the complete text. Of
 * a long text only the pieces themselves are kept, and escaped again when they are written.
 */
import { escapeJson } from '../../../json/text.ts'

/** How much of a long text is escaped at a time, in characters. */
const stepLength = 64 * 1024

export class WrittenText {
  /** The length of the text so far, in characters. */
  length = 0
  readonly #longest: number
  #pieces: string[] = []
  // A concatenation, not an array that is joined: engines do not copy the parts until the result is written.
  #escaped = ''

  /** A text of `longest` characters or more is long. */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** Returns the piece escaped for JSON, without quotes; `escaped` is that, where known. */
  add(text: string, escaped: string = escapeJson(text)): string {
    this.#pieces.push(text)
    this.length += text.length
    this.#escaped = this.length < this.#longest ? this.#escaped + escaped : ''
    return escaped
  }

  text(): string {
    return this.#pieces.join('')
  }

  /** The complete text, escaped for JSON, without quotes. It may differ from the pieces. */
  escaped(complete: string): string {
    if (this.length >= this.#longest || !this.#equals(complete)) return escapeJson(complete)
    // The complete text serves for the pieces from now on, and where nothing was escaped, for those as well.
    this.#pieces = [complete]
    if (this.#escaped.length === complete.length) this.#escaped = complete
    return this.#escaped
  }

  /** The same in pieces. `repeats`: it is certain not to differ. To compare it, an engine would have to copy all of it. */
  escapedPieces(complete: string, repeats: boolean): Iterable<string> {
    return new EscapedPieces(repeats && complete.length === this.length ? this.#pieces : [complete])
  }

  #equals(text: string): boolean {
    if (text.length !== this.length) return false
    let start = 0
    for (const piece of this.#pieces) {
      const end = start + piece.length
      // Comparing slices is much faster than `startsWith`.
      if (text.slice(start, end) !== piece) return false
      start = end
    }
    return true
  }
}

/** Can be read more than once: escapes a few pieces at a time, as they are read. */
class EscapedPieces implements Iterable<string> {
  readonly #pieces: readonly string[]

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces
  }

  *[Symbol.iterator](): Generator<string> {
    let step = ''
    for (const piece of this.#pieces) {
      step += piece
      if (step.length < stepLength) continue
      // The halves of a pair that is cut here are escaped, which has the same meaning.
      for (let at = 0; at < step.length; at += stepLength) yield escapeJson(step.slice(at, at + stepLength))
      step = ''
    }
    if (step !== '') yield escapeJson(step)
  }
}
