/**
 * A template of a frame: one string of its JSON varies, the values of some fields are ignored, and everything else must
 * match character for character. Such a frame is read by comparing text, so that only its string has to be parsed.
 */
import { closingQuote, parseJson } from '../../json/text.ts'
import type { SseFrame } from '../../sse/sse-parser.ts'
import type { RepeatedField } from '../define-wire.ts'

interface Slot {
  readonly kind: 'text' | 'ignored string' | 'ignored number'
  readonly start: number
  readonly end: number
}

/** `undefined` when a key occurs more than once in the data, or when an escape could hide another occurrence. */
export function learnTemplate(frame: SseFrame, field: RepeatedField): FrameTemplate | undefined {
  const { data } = frame
  const text = slotOf(data, field.key)
  if (text === undefined || text === 'unclear' || text.kind !== 'ignored string' || !data.endsWith('}'))
    return undefined
  const slots: Slot[] = [{ ...text, kind: 'text' }]
  for (const name of field.volatileFields) {
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
  return new FrameTemplate(frame, literals, slots, rest)
}

export class FrameTemplate {
  /** The varying text of the last match. */
  text = ''
  /** How that text is written in JSON. Absent if it cannot be copied into other JSON as it is. */
  escaped: string | undefined
  readonly #event: string | undefined
  /** What a stream has before the first slot: the name of the event, and the beginning of its data. */
  readonly #opening: string
  /** What comes before each slot. */
  readonly #literals: readonly string[]
  readonly #slots: readonly Slot[]
  /** What follows the last slot, without the closing brace and the spaces before it. */
  readonly #rest: string
  /** The data has no line break, so that in a stream it is a single `data:` line. */
  readonly #isOneLine: boolean
  #start = 0
  #end = 0
  /** The text has escapes, or characters that JSON does not allow: `JSON.parse` has to read it. */
  #needsParsing = false

  constructor({ event, data }: SseFrame, literals: readonly string[], slots: readonly Slot[], rest: string) {
    const name = event === undefined ? '' : `event: ${event}\n`
    this.#event = event
    this.#opening = `${name}data: ${literals[0] ?? ''}`
    this.#literals = literals
    this.#slots = slots
    this.#rest = rest
    this.#isOneLine = !data.includes('\n')
  }

  /** The end of the frame that starts at this position of a stream, after its blank line; -1 if it does not match. */
  matchStream(stream: string, start: number): number {
    if (!this.#isOneLine) return -1
    const end = this.#match(stream, start, this.#opening)
    const isComplete =
      end >= 0 && stream.charCodeAt(end) === lineFeed && stream.charCodeAt(end + 1) === lineFeed
    return isComplete && this.#readText(stream) ? end + 2 : -1
  }

  /** The same for a frame that has been cut out of its stream. */
  matchFrame({ event, data }: SseFrame): boolean {
    if (event !== this.#event || this.#match(data, 0, this.#literals[0] ?? '') !== data.length) return false
    return this.#readText(data)
  }

  /** The end of the object that starts after this opening, or -1. */
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
    return source.charCodeAt(at) === brace ? at + 1 : -1
  }

  /** Reads the varying text of a match; `false` when it is not valid JSON. */
  #readText(source: string): boolean {
    const escaped = source.slice(this.#start, this.#end)
    this.text = escaped
    this.escaped = escaped
    if (!this.#needsParsing) return true
    const text = parseJson(source.slice(this.#start - 1, this.#end + 1))
    if (typeof text !== 'string') return false
    if (surrogate.test(escaped)) this.escaped = undefined
    // Every escape is longer than its character, so equal lengths mean equal strings: keep only one of them alive.
    if (text.length !== escaped.length) this.text = text
    return true
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

const lineFeed = 0x0a
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
