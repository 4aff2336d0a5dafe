/** How many columns of a terminal a text takes: wide characters take two, marks on a character none. */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const plain = /^[\u0020-\u007e]*$/
const onlyMarks = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const emoji = /^\p{Emoji_Presentation}|\ufe0f|^\p{Regional_Indicator}/u
/** What East Asian fonts draw in two columns. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u

export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment)
  return width
}

function segmentWidth(segment: string): number {
  if (onlyMarks.test(segment)) return 0
  return wide.test(segment) || emoji.test(segment) ? 2 : 1
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** The text in pieces of at most `width` columns; of no more than `most` pieces, the rest being left out. */
export function splitToWidth(text: string, width: number, most: number = Number.POSITIVE_INFINITY): string[] {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  // A segment is read only when its piece is wanted, so that a long text costs no more than what is shown.
  for (const { segment } of segmenter.segment(text)) {
    const more = segmentWidth(segment)
    if (used + more > width && piece !== '') {
      pieces.push(piece)
      if (pieces.length >= most) return pieces
      piece = ''
      used = 0
    }
    piece += segment
    used += more
  }
  return [...pieces, piece]
}

/** Cut to `width`, with an ellipsis where something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text
  const [whole = '', more] = splitToWidth(text, width, 2)
  if (more === undefined) return whole
  return `${splitToWidth(whole, Math.max(1, width - 1), 1)[0] ?? ''}…`
}
