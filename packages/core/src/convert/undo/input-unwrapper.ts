/**
 * Takes the text out of `{"input": "…"}` while it is being written, so that a wrapped free-text tool streams like
 * any other. Escapes may be cut anywhere. Text that turns out not to have this form is given back as it is at the end.
 */

export interface InputUnwrapper {
  /** More of the input's text, as far as it is certain. */
  push(text: string): string
}

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Any beginning of what `opening` matches. */
const partialOpening = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/

const escapes: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

export function createInputUnwrapper(): InputUnwrapper {
  let state: 'before' | 'inside' | 'after' | 'other' = 'before'
  let held = ''
  return {
    push(text) {
      if (state === 'after' || state === 'other') return ''
      held += text
      if (state === 'before') {
        const match = opening.exec(held)
        if (match === null) {
          if (!partialOpening.test(held)) state = 'other'
          // Blanks mean nothing before the text begins, and would be looked at again and again.
          held = held.replace(/\s+/g, '')
          return ''
        }
        held = held.slice(match[0].length)
        state = 'inside'
      }
      const { decoded, rest, closed } = decodeString(held)
      held = rest
      if (closed) state = 'after'
      return decoded
    },
  }
}

/** The input as far as it was written, which may be not at all; `undefined` when the text has another form. */
export function unwrapBeginning(text: string): string | undefined {
  const match = opening.exec(text)
  if (match !== null) return decodeString(text.slice(match[0].length)).decoded
  return partialOpening.test(text) ? '' : undefined
}

/** Decodes a JSON string's inside up to its end or to an escape that is not whole yet. */
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
    const letter = text[i + 1]
    const length = letter === 'u' ? 6 : 2
    pieces.push(text.slice(start, i))
    if (letter === undefined || i + length > text.length) {
      return { decoded: pieces.join(''), rest: text.slice(i), closed: false }
    }
    pieces.push(
      letter === 'u'
        ? String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16))
        : (escapes[letter] ?? letter),
    )
    i += length - 1
    start = i + 1
  }
  pieces.push(text.slice(start))
  return { decoded: pieces.join(''), rest: '', closed: false }
}
