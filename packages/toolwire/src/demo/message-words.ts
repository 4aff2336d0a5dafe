/** What stands out in a message: its telling words, by which a tool is chosen, and the values that become arguments. */

/** Longer messages are read up to here. */
const mostCharacters = 10_000

const stopWords: ReadonlySet<string> = new Set(
  `a an the and or but if then so to of in on at by for from with without about into over near is are was were be been am
   do does did have has had will would can could should may must i me my we us our you your he him his she her it its
   they them their this that these those there here what which who when where why how please thank hello hi hey ok yes
   no not just also too all any some more most other than as up out now today want need like let tell know use get
   got one two s t m re ve ll d tool function call return value optional current`.split(/\s+/),
)

const wordPattern = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu

/**
 * The telling words of a name or of prose, in lower case and without a plural s: `getNotes`, `get_note` and "Get the
 * notes" have the same ones.
 */
export function wordsOf(text: string, most: number): Set<string> {
  const words = new Set<string>()
  for (const [word] of text.slice(0, mostCharacters).matchAll(wordPattern)) {
    const singular = singularOf(word)
    if (!stopWords.has(singular) && !stopWords.has(word.toLowerCase())) words.add(singular)
    if (words.size === most) break
  }
  return words
}

/** All words of a name in their order, in lower case and without a plural s. */
export function nameWords(name: string): string[] {
  return Array.from(name.slice(0, mostCharacters).matchAll(wordPattern), ([word]) => singularOf(word))
}

function singularOf(word: string): string {
  return word.toLowerCase().replace(/(?<=[^s]{3})s$/, '')
}

/** Returns whether the message has these words, in any case. */
export function createWordSearch(message: string): (words: string) => boolean {
  const text = ` ${message
    .slice(0, mostCharacters)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, ' ')} `
  return words => text.includes(` ${words.toLowerCase()} `)
}

interface MessageValue {
  readonly value: string | number
  readonly isQuoted: boolean
}

const mostValues = 20
const closers: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”'],
  ['`', '`'],
])
const longestQuote = 500

/** Texts between quotes, and every second part a quoted text with its quotes. */
function splitQuotes(text: string): string[] {
  const parts: string[] = []
  let done = 0
  for (let at = 0; at < text.length; at++) {
    const closer = closers.get(text[at] ?? '')
    const length = closer === undefined ? -1 : text.slice(at + 1, at + 2 + longestQuote).indexOf(closer)
    if (length < 1) continue
    parts.push(text.slice(done, at), text.slice(at, at + length + 2))
    done = at + length + 2
    at = done - 1
  }
  return [...parts, text.slice(done)]
}

/** Quoted texts, numbers, capitalised names, and words such as `a/b.md`, `bob@example.com` and `2026-12-24`. */
export function valuesIn(message: string): MessageValue[] {
  const values: MessageValue[] = []
  splitQuotes(message.slice(0, mostCharacters)).forEach((part, i) => {
    if (i % 2 === 1) values.push({ value: part.slice(1, -1), isQuoted: true })
    else for (const value of unquotedValues(part, i === 0)) values.push({ value, isQuoted: false })
  })
  return values.slice(0, mostValues)
}

/** The token without the marks around it. The end is searched for by character: a pattern would try every start. */
function trimMarks(token: string): string {
  const characters = Array.from(token)
  const last = characters.findLastIndex(character => /[\p{L}\p{N}/]/u.test(character))
  return characters
    .slice(0, last + 1)
    .join('')
    .replace(/^[^\p{L}\p{N}/~-]+/u, '')
}

function unquotedValues(text: string, isStart: boolean): (string | number)[] {
  const values: (string | number)[] = []
  let name: string[] = []
  let startsSentence = isStart
  const endName = (): void => {
    if (name.length > 0) values.push(name.join(' '))
    name = []
  }
  for (const token of text.split(/\s+/).filter(one => one !== '')) {
    const word = trimMarks(token)
    // The first word of a sentence is capitalised whatever it is.
    const isName = /^\p{Lu}\p{L}/u.test(word) && !startsSentence
    if (!isName) endName()
    if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(word)) values.push(Number(word))
    else if (/[\p{L}\p{N}][./@][\p{L}\p{N}]|^[/~]|^\d{4}-\d/u.test(word)) values.push(word)
    else if (isName) name.push(word)
    if (!token.endsWith(word)) endName()
    startsSentence = /[.!?:]$/.test(token)
  }
  endName()
  return values
}
