/**
 * Extracts the text from `{"input": "…"}`, also while it streams in, so that a wrapped custom tool streams its raw text.
 * Chunks may end anywhere, also inside an escape. Text of another form yields nothing while it streams; at the end of
 * the call it is unwrapped if that can be done in only one way.
 */
import { isObject, own } from '../../json/object.ts'
import { parseJson } from '../../json/text.ts'

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

export interface Unwrapped {
  readonly input: string
  /** What the model wrote instead of the object with one string that it was asked for. */
  readonly oddity?: string
  /** The text breaks off. */
  readonly isCut?: boolean
}

/** The free text in the arguments of a call to a wrapped tool of this name. */
export function unwrapInput(text: string, name: string): Unwrapped {
  const parsed = parseJson(text)
  if (parsed === undefined) {
    // A truncated call holds a part of the input; a model that ignored the wrapping wrote the input itself.
    return unwrapBeginning(text) ?? { input: text, oddity: 'plain text' }
  }
  const keys = isObject(parsed) ? Object.keys(parsed) : undefined
  // On a wire whose arguments are objects, a truncated call arrives as an empty object.
  if (keys?.length === 0) return { input: '' }
  const input = isObject(parsed) ? own(parsed, 'input') : undefined
  if (typeof input === 'string') {
    const others = keys?.filter(key => key !== 'input') ?? []
    return others.length === 0 ? { input } : { input, oddity: `more than "input": ${others.join(', ')}` }
  }
  const oddity = keys === undefined ? 'no object' : `no string "input" but "${keys.join('", "')}"`
  const only = onlyScalar(parsed) ?? onlyText(parsed, name, deepestWrapping)
  if (only !== undefined) return { input: only, oddity }
  // The only reading of an object where the text belongs is its JSON.
  if (keys?.length === 1 && isObject(input))
    return { input: JSON.stringify(input), oddity: 'an object in it' }
  return { input: text, oddity: 'JSON that can be read in several ways' }
}

/** A number or flag, alone or as the only member. Deeper, it may be part of a value whose JSON is the text. */
function onlyScalar(value: unknown): string | undefined {
  const members = isObject(value) ? Object.values(value) : []
  const only = members.length === 1 ? members[0] : value
  return typeof only === 'number' || typeof only === 'boolean' ? String(only) : undefined
}

const deepestWrapping = 4

/** The text that a value holds if it holds nothing else; the tool's own name before it is a command, not text. */
function onlyText(value: unknown, name: string, depth: number): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  const isCommand = Array.isArray(value) && values.length === 2 && values[0] === name
  return values.length === 1 || isCommand ? onlyText(values.at(-1), name, depth - 1) : undefined
}

/** The input as far as it was written, possibly empty; `undefined` if the text has another form. */
function unwrapBeginning(text: string): Unwrapped | undefined {
  const match = opening.exec(text)
  if (match === null) return partialOpening.test(text) ? { input: '', isCut: text.trim() !== '' } : undefined
  const { decoded, closed } = decodeString(text.slice(match[0].length))
  return closed ? { input: decoded, oddity: 'an object without its end' } : { input: decoded, isCut: true }
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
