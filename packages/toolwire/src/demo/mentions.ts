/**
 * What a message is about, by the look of it: names, quotes, addresses and dates, those that belong together in one
 * group ("Oslo, Rome and Paris"), each group with the preposition before it.
 */
import type { Mention, MentionGroup } from './mention-group.ts'
import { contextOf, isArticle, isJoint } from './mention-group.ts'
import type { Token } from './message-tokens.ts'
import { isName } from './message-tokens.ts'
import { listItems, phrases } from './phrases.ts'
import { isCommandVerb, meaningOf } from './words.ts'

const insideNames: ReadonlySet<string> = new Set(['de', 'da', 'del', 'di', 'la', 'le', 'of', 'van', 'von'])
const placing: ReadonlySet<string> = new Set(['in', 'at', 'near', 'for', 'from', 'to'])

/** `vocabulary`: meanings of words that name tools and their parameters, and so are likely no names. */
export function groupMentions(
  text: string,
  tokens: readonly Token[],
  vocabulary: ReadonlySet<string>,
): MentionGroup[] {
  const found = collect(text, tokens, vocabulary)
  if (found.length > 0) return joined(found.flatMap(splitBetween))
  const listed = listItems(text)
  return listed.length > 0 ? listed : joined(phrases(text, tokens, vocabulary).flatMap(splitBetween))
}

interface Draft extends MentionGroup {
  readonly mentions: Mention[]
}

function collect(text: string, tokens: readonly Token[], vocabulary: ReadonlySet<string>): Draft[] {
  const groups: Draft[] = []
  const weak = new Set<Mention>()
  let open: Draft | undefined
  for (let i = 0; i < tokens.length; ) {
    const read = mentionAt(text, tokens, i)
    const token = tokens[i]
    if (token === undefined) break
    if (read === undefined) {
      const word = token.text.toLowerCase()
      if (!isJoint(word) && !isArticle(word) && word !== open?.preposition) open = undefined
      i += 1
      continue
    }
    const { mention, next } = read
    if (mention.kind === 'name' && isDoubtful(mention, token, next - i, vocabulary)) weak.add(mention)
    if (open?.mentions[0]?.kind !== mention.kind) {
      open = { mentions: [], ...contextOf(tokens, i) }
      groups.push(open)
    }
    open.mentions.push(mention)
    i = next
  }
  return withoutWeak(groups, weak).map(group => withRegion(text, group))
}

/** "San Francisco, CA" and "Paris, France" are one place each; a third name makes a list of it. */
function withRegion(text: string, group: Draft): Draft {
  const [place, region] = group.mentions
  if (place?.kind !== 'name' || region === undefined) return group
  const isCode = /^\p{Lu}{2}$/u.test(region.text)
  const isPair = group.mentions.length === 2 && placing.has(group.preposition ?? '')
  const between = text.slice(place.at + place.text.length, region.at)
  if (between !== ', ' || !(isCode || isPair)) return group
  return {
    ...group,
    mentions: [{ ...place, text: `${place.text}, ${region.text}` }, ...group.mentions.slice(2)],
  }
}

function mentionAt(
  text: string,
  tokens: readonly Token[],
  i: number,
): { mention: Mention; next: number } | undefined {
  const first = tokens[i]
  if (first === undefined || first.kind === 'mark' || first.kind === 'number') return undefined
  if (first.kind !== 'word')
    return { mention: { kind: first.kind, text: first.text, at: first.at }, next: i + 1 }
  if (!isName(first) || (first.isFirst && isCommandVerb(first.text))) return undefined
  let last = i
  for (let k = i + 1; k < tokens.length && k < i + 8; k++) {
    const token = tokens[k]
    const previous = tokens[k - 1]
    if (token === undefined || previous === undefined || token.at - previous.end !== 1) break
    if (isName(token)) last = k
    else if (!insideNames.has(token.text)) break
  }
  const end = tokens[last]?.end ?? first.end
  const name = text.slice(first.at, end).replace(/['’]s?$/, '')
  return { mention: { kind: 'name', text: name, at: first.at }, next: last + 1 }
}

/** A capital letter at the head of a sentence, or on a word that names a tool, need not mean a name. */
function isDoubtful(
  { text }: Mention,
  token: Token,
  length: number,
  vocabulary: ReadonlySet<string>,
): boolean {
  if (length > 1) return false
  return token.isFirst || vocabulary.has(meaningOf(text))
}

function withoutWeak(groups: readonly Draft[], weak: ReadonlySet<Mention>): Draft[] {
  const isStrong = (mention: Mention): boolean => !weak.has(mention)
  if (weak.size === 0 || !groups.some(({ mentions }) => mentions.some(isStrong))) return [...groups]
  return groups.flatMap(group => {
    // "Oslo and Rome?": what stands beside a sure name is one too.
    if (group.mentions.some(isStrong) && group.mentions.length > 1) return [group]
    const mentions = group.mentions.filter(isStrong)
    return mentions.length === 0 ? [] : [{ ...group, mentions }]
  })
}

/** "weather in Oslo, and the time in Rome": what has the same preposition plays the same part. */
function joined(groups: readonly MentionGroup[]): MentionGroup[] {
  const out: MentionGroup[] = []
  for (const group of groups) {
    const { preposition, mentions } = group
    const same = out.findIndex(
      other =>
        preposition !== undefined &&
        other.preposition === preposition &&
        other.mentions[0]?.kind === mentions[0]?.kind,
    )
    const first = out[same]
    if (first === undefined) out.push(group)
    else out[same] = { ...first, mentions: [...first.mentions, ...mentions] }
  }
  return out
}

/** "between Oslo and Rome" is from the one to the other. */
function splitBetween(group: MentionGroup): MentionGroup[] {
  const [first, second, ...more] = group.mentions
  if (group.preposition !== 'between' || first === undefined || second === undefined || more.length > 0)
    return [group]
  return [
    { ...group, preposition: 'from', mentions: [first] },
    { ...group, preposition: 'to', mentions: [second] },
  ]
}
