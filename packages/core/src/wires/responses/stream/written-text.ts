/** A text that is written in pieces, and complete at the end: the escaped pieces are used again for the complete text. */
import { escapeJson } from '../../../json/text.ts'

export class WrittenText {
  /** The length of the text so far, in characters. */
  length = 0
  #pieces: string[] = []
  // A concatenation, not an array that is joined: engines do not copy the parts until the result is written.
  #escaped = ''

  /** Returns the piece escaped for JSON, without quotes; `escaped` is that, where known. */
  add(text: string, escaped: string = escapeJson(text)): string {
    this.#pieces.push(text)
    this.length += text.length
    this.#escaped += escaped
    return escaped
  }

  text(): string {
    return this.#pieces.join('')
  }

  /** The complete text, escaped for JSON, without quotes. It may differ from the pieces. */
  escaped(complete: string): string {
    if (!this.#equals(complete)) return escapeJson(complete)
    // The complete text serves for the pieces from now on, and where nothing was escaped, for those as well.
    this.#pieces = [complete]
    if (this.#escaped.length === complete.length) this.#escaped = complete
    return this.#escaped
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
