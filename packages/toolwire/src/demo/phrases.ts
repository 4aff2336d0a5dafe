/** Things mentioned in messages without capital letters: items of a list, and what stands behind a preposition. */
import type { Mention, MentionGroup } from './mention-group.ts'
import { contextOf, isJoint, isPreposition } from './mention-group.ts'
import type { Token } from './message-tokens.ts'
import { isCounting, isStopWord, meaningOf } from './words.ts'

const listLine = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(\S.{0,200})$/gm

export function listItems(text: string): MentionGroup[] {
  const mentions = [...text.matchAll(listLine)].map(
    (match): Mention => ({ kind: 'phrase', text: (match[1] ?? '').trim(), at: match.index }),
  )
  return mentions.length < 2 ? [] : [{ mentions, preposition: undefined, before: undefined }]
}

/** Without a capital letter anywhere: what stands behind a preposition, up to the next one or a mark. */
export function phrases(
  text: string,
  tokens: readonly Token[],
  vocabulary: ReadonlySet<string>,
): MentionGroup[] {
  const groups: MentionGroup[] = []
  for (let i = 0; i < tokens.length; ) {
    const preposition = tokens[i]?.text.toLowerCase() ?? ''
    if (!isPreposition(preposition)) {
      i += 1
      continue
    }
    const context = contextOf(tokens, i + 1)
    const mentions: Mention[] = []
    let run: Token[] = []
    const close = (): void => {
      const mention = phraseOf(text, run, vocabulary)
      if (mention !== undefined) mentions.push(mention)
      run = []
    }
    for (i += 1; i < tokens.length; i++) {
      const token = tokens[i]
      const word = token?.text.toLowerCase() ?? ''
      if (token === undefined || isPreposition(word)) break
      if (isJoint(word)) close()
      else if (token.kind === 'mark') break
      else run.push(token)
    }
    close()
    if (mentions.length > 0) groups.push({ ...context, mentions })
  }
  return groups
}

function phraseOf(text: string, run: readonly Token[], vocabulary: ReadonlySet<string>): Mention | undefined {
  const isEmpty = ({ text: word }: Token): boolean => isStopWord(word)
  const from = run.findIndex(token => !isEmpty(token))
  const to = run.findLastIndex(token => !isEmpty(token))
  const [first, last] = [run[from], run[to]]
  if (first === undefined || last === undefined) return undefined
  const kept = run.slice(from, to + 1)
  const isSpokenFor = ({ kind, text: word }: Token): boolean =>
    kind === 'number' || isStopWord(word) || isCounting(meaningOf(word)) || vocabulary.has(meaningOf(word))
  if (kept.every(isSpokenFor)) return undefined
  return { kind: 'phrase', text: text.slice(first.at, last.end), at: first.at }
}
