/**
 * A template of a JSON event: one string varies, the values of some fields are ignored, and everything else must match
 * character for character.
 */
import { closingQuote } from '../../json/text.ts'

interface Slot {
  readonly kind: 'text' | 'ignored string' | 'ignored number'
  readonly start: number
  readonly end: number
}

/**
 * `head` is what precedes the data in a stream, `key` the field whose string varies. `undefined` when a key occurs
 * more than once in the data, or when an escape could hide another occurrence.
 */
export function learnTemplate(
  head: string,
  data: string,
  key: string,
  volatileFields: readonly string[] = [],
): DeltaTemplate | undefined {
  const text = slotOf(data, key)
  if (text === undefined || text === 'unclear' || text.kind !== 'ignored string' || !data.endsWith('}'))
    return undefined
  const slots: Slot[] = [{ ...text, kind: 'text' }]
  for (const name of volatileFields) {
    const slot = slotOf(data, name)
    if (slot === 'unclear') return undefined
    if (slot !== undefined) slots.push(slot)
  }
  slots.sort((a, b) => a.start - b.start)
  const literals: string[] = []
  let end = 0
  for (const slot of slots) {
    literals.push(data.slice(end, slot.start))
    end = slot.end
  }
  // Some servers pad events with spaces, so that the length of an event does not reveal its text.
  let restEnd = data.length - 1
  while (restEnd > end && data.charCodeAt(restEnd - 1) === space) restEnd--
  const rest = data.slice(end, restEnd)
  if (rest.includes('\\') || literals.some(literal => literal.includes('\\'))) return undefined
  return new DeltaTemplate(head, literals, slots, rest)
}

export class DeltaTemplate {
  /** How the text of the last match is written in JSON. Absent if it cannot be copied into other JSON as it is. */
  escaped: string | undefined
  /** The head, and what comes before the first slot. */
  readonly #opening: string
  /** What comes before each slot. */
  readonly #literals: readonly string[]
  readonly #slots: readonly Slot[]
  /** What follows the last slot, without the closing brace and the spaces before it. */
  readonly #rest: string
  #source = ''
  #start = 0
  #end = 0
  /** The text has escapes, or characters that JSON does not allow: `JSON.parse` has to read it. */
  #needsParsing = false

  constructor(head: string, literals: readonly string[], slots: readonly Slot[], rest: string) {
    this.#opening = `${head}${literals[0] ?? ''}`
    this.#literals = literals
    this.#slots = slots
    this.#rest = rest
  }

  /** The end of an object that starts here and matches, or -1. */
  match(source: string, start: number): number {
    return this.#match(source, start, this.#literals[0] ?? '')
  }

  /** The same for an object that follows the head, where the head starts here. */
  matchFrame(source: string, start: number): number {
    return this.#match(source, start, this.#opening)
  }

  #match(source: string, start: number, opening: string): number {
    let at = start
    for (let i = 0; i < this.#slots.length; i++) {
      const literal = i === 0 ? opening : (this.#literals[i] ?? '')
      const kind = this.#slots[i]?.kind
      const begin = at + literal.length
      // Comparing slices is much faster than `startsWith`.
      if (source.slice(at, begin) !== literal) return -1
      at =
        kind === 'ignored number'
          ? endOfNumber(source, begin)
          : this.#endOfString(source, begin, kind === 'text')
      if (at < 0) return -1
    }
    const end = at + this.#rest.length
    if (source.slice(at, end) !== this.#rest) return -1
    at = end
    while (source.charCodeAt(at) === space) at++
    if (source.charCodeAt(at) !== brace) return -1
    this.#source = source
    return at + 1
  }

  /** The varying text of the last match; `undefined` when it is not valid JSON. Call it once per match. */
  text(): string | undefined {
    const source = this.#source
    const escaped = source.slice(this.#start, this.#end)
    this.#source = ''
    this.escaped = escaped
    if (!this.#needsParsing) return escaped
    const text = parsedText(source.slice(this.#start - 1, this.#end + 1))
    if (surrogate.test(escaped)) this.escaped = undefined
    // Every escape is longer than its character, so equal lengths mean equal strings: keep only one of them alive.
    return text?.length === escaped.length ? escaped : text
  }

  /** The position of the closing quote, or -1. Only the text itself may contain escapes. */
  #endOfString(source: string, start: number, isText: boolean): number {
    let end = source.indexOf('"', start)
    const isLong = end - start > longestScanned
    const isPlain = !isLong && endOfPlain(source, start) === end
    if (!isPlain && isText) end = closingQuote(source, start)
    else if (!isPlain) return -1
    if (isText) {
      this.#start = start
      this.#end = end
      this.#needsParsing = !isPlain
    }
    return end
  }
}

/** For longer texts, `JSON.parse` is faster than finding out whether it is needed. */
const longestScanned = 256

const space = 0x20
const quote = 0x22
const zero = 0x30
const nine = 0x39
const brace = 0x7d

/** A lone surrogate is lost in UTF-8 unless it is escaped, so texts with surrogates are escaped again. */
const surrogate = /[\ud800-\udfff]/

/** Characters that any JSON string may contain without an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not take unescaped
const plain = /[^"\\\u0000-\u001f\ud800-\udfff]*/y

function parsedText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function endOfPlain(source: string, start: number): number {
  plain.lastIndex = start
  plain.test(source)
  return plain.lastIndex
}

/** The value of the key: a string between its quotes, or a number. `undefined` if the key is absent or has another value. */
function slotOf(data: string, key: string): Slot | 'unclear' | undefined {
  const name = `"${key}"`
  const at = data.indexOf(name)
  if (at < 0) return undefined
  if (data.indexOf(name, at + 1) >= 0) return 'unclear'
  const value = /\s*:\s*/y
  value.lastIndex = at + name.length
  if (!value.test(data)) return 'unclear'
  const start = value.lastIndex
  if (data.charCodeAt(start) === quote) {
    const end = closingQuote(data, start + 1)
    return end < 0 ? 'unclear' : { kind: 'ignored string', start: start + 1, end }
  }
  const end = endOfNumber(data, start)
  return end < 0 ? undefined : { kind: 'ignored number', start, end }
}

/** The end of an integer without a sign, as sequence numbers are; -1 when there is none. */
function endOfNumber(data: string, start: number): number {
  let end = start
  while (data.charCodeAt(end) >= zero && data.charCodeAt(end) <= nine) end++
  if (end === start || (data.charCodeAt(start) === zero && end > start + 1)) return -1
  return end
}
