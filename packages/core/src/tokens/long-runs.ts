/**
 * Cuts texts so that counting them takes time in proportion to their length. Byte-pair encoding works on
 * pieces between which it never merges (words, spaces, marks) and needs the square of a piece's length; real
 * pieces are short, but a megabyte of one letter is one piece.
 */

/** The longest run that is left whole, in UTF-16 units. */
export const longestRun = 512

/** Which kinds of pieces a character can be part of. A run goes on while one kind fits all of it. */
const word = 1
const space = 2
const marks = 4
const digit = 8

/** The text whole, or in pieces where it holds runs longer than `longestRun`. */
export function cutLongRuns(text: string): readonly string[] {
  if (text.length <= longestRun) return [text]
  const cuts: number[] = []
  let runStart = 0
  let kinds = word | space | marks | digit
  let width = 1
  for (let at = 0; at < text.length; at += width) {
    const code = text.codePointAt(at) ?? 0
    width = code > 0xffff ? 2 : 1
    const mask = code < 128 ? asciiKinds(code) : wideKinds(code)
    kinds &= mask
    if (kinds === 0 || mask === digit) {
      kinds = mask
      runStart = at
    } else if (at - runStart >= longestRun) {
      cuts.push(at)
      runStart = at
    }
  }
  return cuts.length === 0 ? [text] : pieces(text, cuts)
}

function asciiKinds(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return word
  if (code >= 48 && code <= 57) return digit
  // Line ends belong to the spaces before them, and to the marks before them.
  if (code === 10 || code === 13) return space | marks
  return code === 32 || (code >= 9 && code <= 12) ? space : marks
}

const letter = /^\p{L}/u
const combining = /^\p{M}/u
const number = /^\p{N}/u
const blank = /^\s/u

function wideKinds(code: number): number {
  const char = String.fromCodePoint(code)
  if (letter.test(char)) return word
  // A mark on a letter is part of the word in one encoding and stands alone in another.
  if (combining.test(char)) return word | marks
  if (number.test(char)) return digit
  return blank.test(char) ? space : marks
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const found: string[] = []
  let from = 0
  for (const to of [...cuts, text.length]) {
    found.push(text.slice(from, to))
    from = to
  }
  return found
}
