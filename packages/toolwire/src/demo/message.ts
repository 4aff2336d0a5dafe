/** The user's message as the demo model understands it: words, things mentioned, numbers, and its topic. */
import { shorten } from './json.ts'
import type { MentionGroup } from './mention-group.ts'
import { groupMentions } from './mentions.ts'
import type { Token } from './message-tokens.ts'
import { readableMessage, tokensOf } from './message-tokens.ts'
import { isCommandVerb, isStopWord, meaningOf } from './words.ts'

export interface NumberMention {
  readonly value: number
  readonly at: number
  /** Meanings of the words on either side. */
  readonly beside: readonly string[]
}

export interface Message {
  readonly text: string
  /** Where each meaning stands first. */
  readonly meanings: ReadonlyMap<string, number>
  readonly groups: readonly MentionGroup[]
  readonly numbers: readonly NumberMention[]
  /** Meanings of words with a "no" or "without" before them. */
  readonly denied: ReadonlySet<string>
  readonly quotes: readonly string[]
  /** The first sentence that asks for something, without the words of asking. Empty when there is none. */
  readonly topic: string
  /** What stands behind "for" or "about"; the topic when there is neither. */
  readonly subject: string
}

export function readMessage(given: string, vocabulary: ReadonlySet<string>): Message {
  const text = readableMessage(given)
  const tokens = tokensOf(text)
  const topic = topicOf(text, tokens)
  const quotes = tokens.filter(({ kind }) => kind === 'quote').map(token => token.text)
  return {
    text,
    meanings: meaningsOf(tokens),
    groups: groupMentions(text, tokens, vocabulary),
    numbers: numbersOf(tokens),
    denied: deniedIn(tokens),
    quotes,
    topic,
    subject: quotes[0] ?? subjectOf(topic),
  }
}

function meaningsOf(tokens: readonly Token[]): Map<string, number> {
  const meanings = new Map<string, number>()
  const note = (word: string, at: number): void => {
    const meaning = meaningOf(word)
    if (!isStopWord(word) && !meanings.has(meaning)) meanings.set(meaning, at)
  }
  for (const { kind, text, at } of tokens) {
    if (kind === 'word') for (const word of [text, ...text.split(/[_-]/)]) note(word, at)
    if (kind === 'quote') for (const word of text.split(/[^\p{L}\p{N}]+/u)) note(word, at)
    // A file is spoken of by its name alone.
    if (kind === 'path') note('file', at)
    if (kind === 'email') note('email', at)
    if (kind === 'url') note('url', at)
  }
  meanings.delete('')
  return meanings
}

const numberWords: readonly string[] =
  'zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve'.split(',')

function numbersOf(tokens: readonly Token[]): NumberMention[] {
  return tokens.flatMap((token, i) => {
    const value = numberOf(token, tokens[i + 1])
    if (value === undefined) return []
    const beside = [tokens[i - 1], tokens[i + 1]]
      .filter(near => near?.kind === 'word')
      .map(near => meaningOf(near?.text ?? ''))
    return [{ value, at: token.at, beside }]
  })
}

function numberOf({ kind, text }: Token, next: Token | undefined): number | undefined {
  if (kind === 'number') return Number(text.replace(/[,_]/g, ''))
  const spelled = kind === 'word' ? numberWords.indexOf(text.toLowerCase()) : -1
  // "three days" counts something; "the one you like" does not.
  return spelled > 1 && next?.kind === 'word' ? spelled : undefined
}

function deniedIn(tokens: readonly Token[]): Set<string> {
  const isDenial = (token: Token | undefined): boolean =>
    /^(?:no|not|without|don['’]t|never)$/i.test(token?.text ?? '')
  return new Set(
    tokens
      .filter(
        (_, i) =>
          isDenial(tokens[i - 1]) || (isDenial(tokens[i - 2]) && isStopWord(tokens[i - 1]?.text ?? '')),
      )
      .map(({ text }) => meaningOf(text)),
  )
}

const longestTopic = 120

function topicOf(text: string, tokens: readonly Token[]): string {
  const isAsking = ({ kind, text: word }: Token): boolean =>
    kind === 'mark' || (kind === 'word' && (isStopWord(word) || isCommandVerb(word)))
  const first = tokens.findIndex(token => !isAsking(token))
  const start = tokens[first]
  if (start === undefined) return ''
  const stop = tokens.findIndex(
    ({ kind, text: mark }, i) => i > first && kind === 'mark' && /[.!?\n]/.test(mark),
  )
  return shorten(text.slice(start.at, tokens[stop]?.at ?? text.length).trim(), longestTopic)
}

function subjectOf(topic: string): string {
  const match = /(?<![\p{L}\p{N}])(?:for|about|regarding|saying)\s+(?:the\s+|an?\s+)?(\S.*)$/u.exec(topic)
  return match?.[1] ?? topic
}
