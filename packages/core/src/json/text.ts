/**
 * Helpers for JSON text: parsing, escaping, and scanning without parsing. Scanners skip strings by searching for their
 * closing quotes, since most of a JSON text is strings, and a regular expression would overflow the stack on long ones.
 */

/** The parsed value; `undefined`, which no JSON text means, if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Characters that JSON escapes. Lone surrogates are escaped too, but paired ones are not: `JSON.stringify` decides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow these unescaped
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/

/** `JSON.stringify` of a string. Faster, because most pieces of a stream need no escapes. */
export function jsonString(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** Like `jsonString`, without the quotes. */
export function escapeJson(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text).slice(1, -1) : text
}

const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The position of the first character from `start` that is not JSON white space. */
export function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** Whether the character code is white space in JSON. */
export function isSpace(code: number): boolean {
  return code === space || code === lineFeed || code === carriageReturn || code === tab
}

/** The position of the quote that closes the string whose content begins at `start`; -1 if it is not closed. */
export function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end !== -1) {
    // Fast path: most quotes have no backslash before them, so nothing needs to be counted.
    if (end === start || text.charCodeAt(end - 1) !== backslash) return end
    if (backslashesBefore(text, end, start) % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** How many backslashes directly precede the position `end`. */
export function backslashesBefore(text: string, end: number, start: number): number {
  let count = 0
  while (end - count > start && text.charCodeAt(end - 1 - count) === backslash) count++
  return count
}

/** How much a JSON text may contain, and how much of it has been counted. */
export interface JsonMeter {
  /** How many lists and objects may be nested. */
  readonly depth: number
  /** How many nodes the text may have: lists, objects, and members beyond the first of each. */
  readonly nodes: number
  /** The nodes counted so far, also those of earlier scans with this meter. */
  counted: number
  /** The first limit that was exceeded. */
  excess: JsonExcess | undefined
}

/** Which limit a JSON text passes, and where. */
export interface JsonExcess {
  readonly limit: 'depth' | 'nodes'
  /** The position at which the limit was exceeded. */
  readonly at: number
}

/** Begins to measure a JSON text against limits of depth and nodes. */
export function createJsonMeter(depth: number, nodes: number = Number.POSITIVE_INFINITY): JsonMeter {
  return { depth, nodes, counted: 0, excess: undefined }
}

/**
 * The first limit that the text exceeds, found without parsing it. `JSON.parse` accepts a million levels, but recursive
 * code after it does not; and it is nodes that cost time, a hundred times more than the characters of a long string.
 */
export function jsonExcess(text: string, depth: number, nodes?: number): JsonExcess | undefined {
  if (text.length <= depth && (nodes === undefined || text.length <= nodes)) return undefined
  return measureJson(text, depth, nodes).excess
}

/** How many nodes the text has; an unlimited count of what `jsonExcess` limits. */
export function countJsonNodes(text: string): number {
  return measureJson(text, Number.POSITIVE_INFINITY).counted
}

/** Both at once; what is over a limit is not counted to its end. */
export function measureJson(text: string, depth: number, nodes?: number): JsonMeter {
  const meter = createJsonMeter(depth, nodes)
  scan(text, 0, meter, false)
  return meter
}

/**
 * The position after the value that begins at `start`; -1 if it has no end or exceeds the meter's limits. Finds the end
 * of valid JSON, but does not check that the value is valid.
 */
export function valueEnd(text: string, start: number, meter: JsonMeter): number {
  const first = text.charCodeAt(start)
  if (first === quote) {
    const end = closingQuote(text, start + 1)
    return end === -1 ? -1 : end + 1
  }
  if (first === openBrace || first === openBracket) return scan(text, start, meter, true)
  scalar.lastIndex = start
  return scalar.test(text) ? scalar.lastIndex : -1
}

/** The characters of numbers, `true`, `false` and `null`. */
const scalar = /[-+.\dEa-z]+/y

/** Counts to the end of the text, or to the end of the list or object that begins at `start`; -1 if that has none. */
function scan(text: string, start: number, meter: JsonMeter, isOneValue: boolean): number {
  const { depth: deepest, nodes: most } = meter
  let depth = 0
  let nodes = meter.counted
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = closingQuote(text, at + 1)
      if (at === -1) break
    } else if (code < openBracket) {
      // Digits and spaces need one comparison: the codes of all brackets are higher.
      if (code !== comma || ++nodes <= most) continue
      meter.excess = { limit: 'nodes', at }
      break
    } else if (code === openBrace || code === openBracket) {
      if (++depth > deepest) meter.excess = { limit: 'depth', at }
      else if (++nodes > most) meter.excess = { limit: 'nodes', at }
      else continue
      break
    } else if ((code === closeBrace || code === closeBracket) && --depth === 0 && isOneValue) {
      meter.counted = nodes
      return at + 1
    }
  }
  meter.counted = nodes
  return -1
}

const quoteOrNumber = /"|-?\d[\d.eE+-]*/g

/** The JSON text with each number, as it is written, replaced by what `change` returns. */
export function mapNumbers(text: string, change: (number: string) => string): string {
  const pattern = new RegExp(quoteOrNumber)
  const pieces: string[] = []
  let done = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [token] = match
    if (token === '"') {
      const end = closingQuote(text, match.index + 1)
      if (end === -1) break
      pattern.lastIndex = end + 1
      continue
    }
    pieces.push(text.slice(done, match.index), change(token))
    done = pattern.lastIndex
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(done)
}

/** Whether `JSON.parse` would change a number of the text because it has too many digits. */
export function changesNumbers(text: string): boolean {
  if (!/\d{16}/.test(text)) return false
  let changes = false
  mapNumbers(text, token => {
    const end = token.search(/[.eE]/)
    const digits = (end === -1 ? token.length : end) - (token.startsWith('-') ? 1 : 0)
    changes ||= digits > 15 && !Number.isSafeInteger(Number(token))
    return token
  })
  return changes
}

/** A value for a message: a short string in quotes, a number as it is, anything else by its type. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
