/** The letters of a JSON object of which one text is new each time, and some numbers or texts mean nothing. */
import { closingQuote } from '../../json/text.ts'

export interface DeltaTemplate {
  /** Where the object ends that begins at this place and has these letters, or -1. */
  match(source: string, start: number): number
  /** The same of an object behind the `head`, which begins at this place. */
  matchBehindHead(source: string, start: number): number
  /** The new text of what matched last; nothing when it is not what JSON allows. */
  text(): string | undefined
  /** The same as it is written, where it can stand in any other JSON as it is. */
  readonly spelling: string | undefined
}

interface Gap {
  readonly kind: 'text' | 'noise' | 'number'
  readonly start: number
  readonly end: number
}

/** Nothing, when a key stands in the data more than once or could be written in a way that hides it. */
export function learnTemplate(
  head: string,
  data: string,
  key: string,
  passing: readonly string[] = [],
): DeltaTemplate | undefined {
  const text = gapOf(data, key)
  if (text === undefined || text === 'unclear' || text.kind !== 'noise' || !data.endsWith('}'))
    return undefined
  const gaps: Gap[] = [{ ...text, kind: 'text' }]
  for (const name of passing) {
    const gap = gapOf(data, name)
    if (gap === 'unclear') return undefined
    if (gap !== undefined) gaps.push(gap)
  }
  gaps.sort((a, b) => a.start - b.start)
  const between: string[] = []
  let end = 0
  for (const gap of gaps) {
    between.push(data.slice(end, gap.start))
    end = gap.end
  }
  // Some fill up the end of an event with blanks, so that its length tells nothing.
  const rest = data.slice(end, -1).replace(/ +$/, '')
  if (rest.includes('\\') || between.some(letters => letters.includes('\\'))) return undefined
  return new LearnedTemplate(head, between, gaps, rest)
}

class LearnedTemplate implements DeltaTemplate {
  /** The head, and what stands before the first gap. */
  readonly #opening: string
  /** What stands before each gap. */
  readonly #between: readonly string[]
  readonly #gaps: readonly Gap[]
  /** What stands behind the last gap, without the closing brace and the blanks before it. */
  readonly #rest: string
  spelling: string | undefined
  #source = ''
  #start = 0
  #end = 0
  /** The text has to be read by the platform: it has escapes, or what JSON does not allow. */
  #isParsed = false

  constructor(head: string, between: readonly string[], gaps: readonly Gap[], rest: string) {
    this.#opening = `${head}${between[0] ?? ''}`
    this.#between = between
    this.#gaps = gaps
    this.#rest = rest
  }

  match(source: string, start: number): number {
    return this.#match(source, start, this.#between[0] ?? '')
  }

  matchBehindHead(source: string, start: number): number {
    return this.#match(source, start, this.#opening)
  }

  #match(source: string, start: number, opening: string): number {
    let at = start
    for (let i = 0; i < this.#gaps.length; i++) {
      const letters = i === 0 ? opening : (this.#between[i] ?? '')
      const kind = this.#gaps[i]?.kind
      const begin = at + letters.length
      // Slices are compared much faster than `startsWith` compares.
      if (source.slice(at, begin) !== letters) return -1
      at = kind === 'number' ? endOfNumber(source, begin) : this.#passText(source, begin, kind === 'text')
      if (at < 0) return -1
    }
    const end = at + this.#rest.length
    if (source.slice(at, end) !== this.#rest) return -1
    at = end
    while (source.charCodeAt(at) === blank) at++
    if (source.charCodeAt(at) !== brace) return -1
    this.#source = source
    return at + 1
  }

  text(): string | undefined {
    const source = this.#source
    const letters = source.slice(this.#start, this.#end)
    this.#source = ''
    this.spelling = letters
    if (!this.#isParsed) return letters
    const text = parsedText(source.slice(this.#start - 1, this.#end + 1))
    if (surrogate.test(letters)) this.spelling = undefined
    // Every escape is longer than what it stands for, so these are the same, and one of them is enough to be kept.
    return text?.length === letters.length ? letters : text
  }

  /** The place of the closing quote, or -1. Only in the text that counts there may be escapes. */
  #passText(source: string, start: number, counts: boolean): number {
    let end = source.indexOf('"', start)
    const isLong = end - start > longestLookedAt
    const isPlain = !isLong && endOfPlain(source, start) === end
    if (!isPlain && counts) end = closingQuote(source, start)
    else if (!isPlain) return -1
    if (counts) {
      this.#start = start
      this.#end = end
      this.#isParsed = !isPlain
    }
    return end
  }
}

/** Longer texts are read faster by the platform than it is found out whether they have to be read. */
const longestLookedAt = 256

const blank = 0x20
const quote = 0x22
const zero = 0x30
const nine = 0x39
const brace = 0x7d

/** Halves of letters. Alone, they are lost unless they are written with escapes, so such texts are written anew. */
const surrogate = /[\ud800-\udfff]/

/** What a text of JSON may hold as it is, whatever stands around it. */
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

/** Where the value of the key stands: between the quotes of a text, or all of a number; nothing where there is neither. */
function gapOf(data: string, key: string): Gap | 'unclear' | undefined {
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
    return end < 0 ? 'unclear' : { kind: 'noise', start: start + 1, end }
  }
  const end = endOfNumber(data, start)
  return end < 0 ? undefined : { kind: 'number', start, end }
}

/** Behind a number without sign, fraction or exponent, as events are counted with; -1 when there is none. */
function endOfNumber(data: string, start: number): number {
  let end = start
  while (data.charCodeAt(end) >= zero && data.charCodeAt(end) <= nine) end++
  if (end === start || (data.charCodeAt(start) === zero && end > start + 1)) return -1
  return end
}
