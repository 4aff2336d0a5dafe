/** A text that is written in pieces, and whole at the end: the letters of the pieces are those of the whole. */
import { escapeJson, jsonString } from '../../../json/text.ts'

export interface WrittenText {
  /** How much has been written, in characters of the text. */
  readonly length: number
  /** One more piece as it stands between the quotes of JSON; there may be letters for it already. */
  add(text: string, letters?: string | undefined): string
  text(): string
  /** The whole as JSON. It need not be what the pieces say. */
  json(whole: string): string
}

export function createWrittenText(): WrittenText {
  return new Written()
}

class Written implements WrittenText {
  length = 0
  readonly #pieces: string[] = []
  // Added up, not gathered and joined: engines keep sums of texts as such until they are written.
  #letters = ''

  add(text: string, letters: string = escapeJson(text)): string {
    this.#pieces.push(text)
    this.length += text.length
    this.#letters += letters
    return letters
  }

  text(): string {
    return this.#pieces.join('')
  }

  json(whole: string): string {
    return this.#says(whole) ? `"${this.#letters}"` : jsonString(whole)
  }

  #says(whole: string): boolean {
    if (whole.length !== this.length) return false
    let start = 0
    for (const piece of this.#pieces) {
      const end = start + piece.length
      // Slices are compared much faster than `startsWith` compares.
      if (whole.slice(start, end) !== piece) return false
      start = end
    }
    return true
  }
}
