/**
 * An estimate that needs no vocabulary. It cuts a text where tokenizers do (words, spaces, marks, figures) and
 * charges each piece what pieces of its kind and length cost on average in o200k_base. The rates were fitted
 * to documentation, source code, JSON and prose in nine scripts; docs/tokens.md has what was measured.
 */
type Kind = 'word' | 'digit' | 'space' | 'line' | 'mark' | 'ideograph' | 'kana' | 'hangul' | 'other'

/** What a word of a script costs: one token up to `free` letters, and one for each `per` letters more. */
interface Rate {
  readonly free: number
  readonly per: number
}

const latin: Rate = { free: 6.5, per: 5 }
/** Words with letters beyond ASCII, which vocabularies hold fewer of. */
const accented: Rate = { free: 3, per: 3.4 }

/** Scripts by their first and last letter. */
const scripts: readonly (readonly [first: number, last: number, rate: Rate])[] = [
  [0x00aa, 0x024f, accented],
  [0x0370, 0x03ff, { free: 2, per: 3 }],
  [0x0400, 0x052f, { free: 3, per: 4 }],
  [0x0590, 0x05ff, { free: 2.4, per: 3.4 }],
  [0x0600, 0x06ff, { free: 2.5, per: 3.8 }],
  [0x0900, 0x0dff, { free: 2, per: 3.4 }],
  [0x0e00, 0x0eff, { free: 2, per: 2.4 }],
]
const rare: Rate = { free: 0, per: 0.7 }

/** Scripts without spaces between words: tokens for each character. */
const perCharacter = { ideograph: 0.72, kana: 0.8, hangul: 0.75 } as const

/** Estimates the tokens of a text without a tokenizer. */
export function estimateTokens(text: string): number {
  let tokens = 0
  let at = 0
  let before: Kind = 'space'
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    const kind = kindOf(code)
    const start = at
    at += code > 0xffff ? 2 : 1
    if (kind === 'word') {
      const word = readWord(text, start, code)
      at = word.end
      tokens += word.tokens
    } else {
      while (at < text.length && kindOf(text.codePointAt(at) ?? 0) === kind)
        at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      tokens += costOf(kind, at - start, at < text.length && isWordAt(text, at), before)
    }
    before = kind
  }
  return Math.round(tokens)
}

function isWordAt(text: string, at: number): boolean {
  const kind = kindOf(text.codePointAt(at) ?? 0)
  return kind !== 'space' && kind !== 'line' && kind !== 'digit'
}

function costOf(kind: Exclude<Kind, 'word'>, length: number, wordFollows: boolean, before: Kind): number {
  switch (kind) {
    case 'digit':
      return Math.ceil(length / 3)
    case 'space':
      // The last space belongs to the word after it, and a run of any usual length is one token.
      return (wordFollows ? length > 1 : true) ? 1 + Math.floor(length / 128) : 0
    case 'line':
      // After a mark, the line's end is mostly part of the mark's token.
      return (before === 'mark' ? 0.2 : 0.8) + Math.floor(length / 16)
    case 'mark':
      return length <= 3 ? 0.9 : 0.9 + (length - 3) / 6
    case 'other':
      return length * 0.9
    default:
      return length * perCharacter[kind]
  }
}

/** Letters up to where the script changes or, as in camelCase, a capital follows a small letter. */
function readWord(text: string, start: number, first: number): { end: number; tokens: number } {
  let rate = rateOf(first)
  let at = start
  let small = false
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (kindOf(code) !== 'word') break
    const capital = code >= 65 && code <= 90
    if (capital && small) break
    const own = rateOf(code)
    // A letter with an accent makes a Latin word rarer; letters of two other scripts never share a word.
    if (own !== rate) {
      if (own !== latin && rate !== latin) break
      if (own !== latin) rate = own
    }
    small = !capital
    at++
  }
  return { end: at, tokens: wordCost(at - start, rate) }
}

function wordCost(length: number, { free, per }: Rate): number {
  return length <= free ? 1 : 1 + (length - free) / per
}

function rateOf(code: number): Rate {
  if (code < 128) return latin
  for (const [first, last, rate] of scripts) if (code >= first && code <= last) return rate
  return rare
}

function kindOf(code: number): Kind {
  if (code < 128) return asciiKind(code)
  if (code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x3000) return 'space'
  if (code >= 0x3040 && code <= 0x30ff) return 'kana'
  if ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf)) return 'ideograph'
  if (code >= 0xac00 && code <= 0xd7a3) return 'hangul'
  if (code >= 0xaa && code < 0x2000 && code !== 0xd7 && code !== 0xf7 && code !== 0xab && code !== 0xbb)
    return 'word'
  if ((code >= 0x2010 && code <= 0x205f) || (code >= 0x3001 && code <= 0x303f)) return 'mark'
  return code >= 0xff00 && code <= 0xffef ? 'mark' : 'other'
}

function asciiKind(code: number): Kind {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 'word'
  if (code >= 48 && code <= 57) return 'digit'
  if (code === 10 || code === 13) return 'line'
  return code === 32 || code === 9 ? 'space' : 'mark'
}
