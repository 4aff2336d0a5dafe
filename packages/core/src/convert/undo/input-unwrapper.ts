/**
 * Extracts the text from `{"input": "…"}` while it streams in, so that a wrapped custom tool streams its raw text.
 * Chunks may end anywhere, also inside an escape. Text of another form yields nothing here and is used unchanged at
 * the end of the call.
 */

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Matches any prefix of what `opening` matches. */
const partialOpening = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/

const escapes: { readonly [code: string]: string } = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

export class InputUnwrapper {
  #state: 'before' | 'inside' | 'after' | 'other' = 'before'
  #buffered = ''

  /** Returns as much of the input's text as can be decoded so far. */
  push(text: string): string {
    if (this.#state === 'after' || this.#state === 'other') return ''
    this.#buffered += text
    if (this.#state === 'before') {
      const match = opening.exec(this.#buffered)
      if (match === null) {
        if (!partialOpening.test(this.#buffered)) this.#state = 'other'
        // Drop white space before the text begins, or every push would scan it again.
        this.#buffered = this.#buffered.replace(/\s+/g, '')
        return ''
      }
      this.#buffered = this.#buffered.slice(match[0].length)
      this.#state = 'inside'
    }
    const { decoded, rest, closed } = decodeString(this.#buffered)
    this.#buffered = rest
    if (closed) this.#state = 'after'
    return decoded
  }
}

/** The input as far as it was written, possibly empty; `undefined` if the text has another form. */
export function unwrapBeginning(text: string): string | undefined {
  const match = opening.exec(text)
  if (match !== null) return decodeString(text.slice(match[0].length)).decoded
  return partialOpening.test(text) ? '' : undefined
}

/** Decodes the inside of a JSON string up to its end, or up to an escape that is still incomplete. */
function decodeString(text: string): { decoded: string; rest: string; closed: boolean } {
  const pieces: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      pieces.push(text.slice(start, i))
      return { decoded: pieces.join(''), rest: '', closed: true }
    }
    if (char !== '\\') continue
    const code = text[i + 1]
    const length = code === 'u' ? 6 : 2
    pieces.push(text.slice(start, i))
    if (code === undefined || i + length > text.length) {
      return { decoded: pieces.join(''), rest: text.slice(i), closed: false }
    }
    pieces.push(
      code === 'u'
        ? String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16))
        : (escapes[code] ?? code),
    )
    i += length - 1
    start = i + 1
  }
  pieces.push(text.slice(start))
  return { decoded: pieces.join(''), rest: '', closed: false }
}
