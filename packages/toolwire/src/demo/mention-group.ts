/** What stands around the things a message mentions: prepositions, and the words and marks that join them. */
import type { Token, TokenKind } from './message-tokens.ts'
import { meaningOf } from './words.ts'

export interface Mention {
  readonly kind: Exclude<TokenKind, 'number' | 'word' | 'mark'> | 'name' | 'phrase'
  readonly text: string
  readonly at: number
}

export interface MentionGroup {
  readonly mentions: readonly Mention[]
  /** The preposition before it, such as `from`. */
  readonly preposition: string | undefined
  /** The meaning of the word before it, or before its preposition: `city` in "the city Oslo". */
  readonly before: string | undefined
}

const prepositions: ReadonlySet<string> = new Set(
  'in at for of about on near from to into between called named saying with as by'.split(' '),
)
const joints: ReadonlySet<string> = new Set(['and', 'or', 'plus', 'versus', 'vs', ',', '&', '\n'])
const articles: ReadonlySet<string> = new Set(['the', 'a', 'an'])

export function isPreposition(word: string): boolean {
  return prepositions.has(word)
}

export function isJoint(word: string): boolean {
  return joints.has(word)
}

export function isArticle(word: string): boolean {
  return articles.has(word)
}

export function contextOf(tokens: readonly Token[], i: number): Pick<MentionGroup, 'preposition' | 'before'> {
  let k = i - 1
  if (articles.has(tokens[k]?.text.toLowerCase() ?? '')) k -= 1
  const word = tokens[k]?.text.toLowerCase()
  const preposition = word !== undefined && prepositions.has(word) ? word : undefined
  const before = tokens[preposition === undefined ? k : k - 1]
  return { preposition, before: before?.kind === 'word' ? meaningOf(before.text) : undefined }
}
