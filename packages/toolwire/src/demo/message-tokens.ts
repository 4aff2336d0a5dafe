/** The user's message cut into words, numbers, quotes, addresses and marks, in one pass of bounded patterns. */
import { isStopWord } from './words.ts'

export type TokenKind = 'quote' | 'url' | 'email' | 'date' | 'path' | 'number' | 'word' | 'mark'

export interface Token {
  readonly kind: TokenKind
  /** As written, without the quotation marks. */
  readonly text: string
  readonly at: number
  readonly end: number
  /** Nothing but a mark stands before it in its sentence. */
  readonly isFirst: boolean
}

const patterns: readonly (readonly [TokenKind, string])[] = [
  [
    'quote',
    '"[^"\\n]{1,400}"|`[^`\\n]{1,400}`|“[^”\\n]{1,400}”|«[^»\\n]{1,400}»|(?<![\\p{L}\\p{N}])\'[^\'\\n]{1,400}\'(?![\\p{L}\\p{N}])',
  ],
  ['url', 'https?://[^\\s<>"\'`)]{1,400}'],
  ['email', '[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,4}'],
  ['date', '\\d{4}-\\d{2}-\\d{2}(?:T[\\d:.]{5,15}(?:Z|[+-]\\d{2}:\\d{2})?)?(?!\\d)'],
  [
    'path',
    '(?:~|\\.{1,2})?/?(?:[\\w.-]{1,80}/){1,20}[\\w.-]{0,80}\\w|(?<!\\w)[\\w-]{1,80}\\.[a-z]{1,4}(?![\\w.])|/[\\w.-]{1,80}\\w',
  ],
  ['number', '(?<![\\p{L}\\p{N}])-?\\d{1,15}(?:[,_]\\d{3})*(?:\\.\\d{1,15})?(?!\\d)'],
  ['word', "\\p{L}[\\p{L}\\p{M}\\p{N}'’_-]{0,80}"],
  ['mark', '[,;:.!?&()\\n]'],
]

const scanner = new RegExp(patterns.map(([, source]) => `(${source})`).join('|'), 'gu')

/** No question needs more; the middle of a longer message is passed over. */
const longestMessage = 6000

export function readableMessage(text: string): string {
  if (text.length <= longestMessage) return text
  return `${text.slice(0, longestMessage / 2)}\n${text.slice(-longestMessage / 2)}`
}

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let isFirst = true
  for (const match of text.matchAll(scanner)) {
    const kind = patterns[match.slice(1).findIndex(group => group !== undefined)]?.[0] ?? 'mark'
    const [found] = match
    const at = match.index
    tokens.push({
      kind,
      text: kind === 'quote' ? found.slice(1, -1) : found,
      at,
      end: at + found.length,
      isFirst,
    })
    isFirst = kind === 'mark' ? isFirst || /[.!?:;\n]/.test(found) : false
  }
  return tokens
}

export function isName({ kind, text }: Token): boolean {
  return kind === 'word' && /^\p{Lu}/u.test(text) && !isStopWord(text)
}
