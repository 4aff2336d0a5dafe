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

const escapes: { readonly [code: string]: string } = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

export function createInputUnwrapper(): InputUnwrapper {
  let state: 'before' | 'inside' | 'after' | 'other' = 'before'
  let buffered = ''
  return {
    push(text) {
      if (state === 'after' || state === 'other') return ''
      buffered += text
      if (state === 'before') {
        const match = opening.exec(buffered)
        if (match === null) {
          if (!partialOpening.test(buffered)) state = 'other'
          // Blanks mean nothing before the text begins, and would be looked at again and again.
          buffered = buffered.replace(/\s+/g, '')
          return ''
        }
        buffered = buffered.slice(match[0].length)
        state = 'inside'
      }
      const { decoded, rest, closed } = decodeString(buffered)
      buffered = rest
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
