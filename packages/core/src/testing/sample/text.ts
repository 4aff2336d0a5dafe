/** Texts of a length, a format or a pattern. */
import type { Random } from '../random.ts'
import { wholeBetween } from '../random.ts'
import type { Facts } from './facts.ts'
import { limit, stringsOf } from './facts.ts'
import type { Lengths } from './pattern-text.ts'
import { textFor } from './pattern-text.ts'
import type { Place } from './place.ts'
import { pick } from './place.ts'

export interface TextStyle {
  readonly isMinimal: boolean
  /** Texts with quotes, line ends and letters of many scripts among the plain ones. */
  readonly isOdd: boolean
}

const plainWords = [
  'alpha',
  'bravo',
  'delta',
  'echo',
  'hotel',
  'india',
  'lima',
  'oscar',
  'tango',
  'zulu',
] as const
const oddWords = [
  '"quoted"',
  'back\\slash',
  'line\nend',
  'Ålesund',
  '東京',
  '🎉',
  '<b>&amp;',
  '__proto__',
  '\t',
  '{}',
] as const

export function makeText(facts: Facts, { random, attempt }: Place, style: TextStyle): string {
  const lengths: Lengths = {
    least: limit(facts, 'minLength', 'most') ?? 0,
    most: limit(facts, 'maxLength', 'least') ?? Number.POSITIVE_INFINITY,
  }
  const byPattern = stringsOf(facts, 'pattern').map(pattern => () => textFor(pattern, lengths, random))
  const byFormat = stringsOf(facts, 'format').map(format => () => formats.get(format)?.(random, lengths))
  const ways = [...byPattern, ...byFormat]
  // Where several are asked for, each gets its turn to be the one that the others happen to take.
  for (const [i] of ways.entries()) {
    const text = ways[(i + attempt) % ways.length]?.()
    if (text !== undefined) return text
  }
  return plainText(lengths, random, style)
}

function plainText({ least, most }: Lengths, random: Random, { isMinimal, isOdd }: TextStyle): string {
  const words: readonly string[] = isOdd && random() < 0.5 ? oddWords : plainWords
  const wanted = isMinimal ? least : Math.max(least, Math.min(most, wholeBetween(random, 1, 16)))
  const characters: string[] = []
  while (characters.length < wanted) {
    if (characters.length > 0) characters.push(' ')
    characters.push(...(pick(random, words) ?? ''))
  }
  // A length that nobody asked for need not cut a word; one that ends in a blank would look broken.
  const isAsked = isMinimal || characters.length > most
  const cut = isAsked ? characters.slice(0, wanted) : characters
  return cut.join('').replace(/ $/, 'x')
}

type FormatMaker = (random: Random, lengths: Lengths) => string

const digits = (value: number, count = 2): string => String(value).padStart(count, '0')

const date = (random: Random): string =>
  `${wholeBetween(random, 1990, 2039)}-${digits(wholeBetween(random, 1, 12))}-${digits(wholeBetween(random, 1, 28))}`

const time = (random: Random): string =>
  `${digits(wholeBetween(random, 0, 23))}:${digits(wholeBetween(random, 0, 59))}:${digits(wholeBetween(random, 0, 59))}Z`

const hex = (random: Random, count: number): string =>
  Array.from({ length: count }, () => wholeBetween(random, 0, 15).toString(16)).join('')

/** A word as long as it takes for the whole to have its least length. */
const padded = (random: Random, around: number, { least, most }: Lengths): string => {
  const word = pick(random, plainWords) ?? 'alpha'
  const filled = word.padEnd(least - around, 'x')
  return filled.slice(0, Math.max(1, most - around))
}

const uri: FormatMaker = (random, lengths) => `https://example.com/${padded(random, 20, lengths)}`
const email: FormatMaker = (random, lengths) => {
  const host = lengths.most < 20 ? 'a.io' : 'example.com'
  return `${padded(random, host.length + 1, lengths)}@${host}`
}
const hostname: FormatMaker = (random, lengths) => `${padded(random, 12, lengths)}.example.com`

const formats: ReadonlyMap<string, FormatMaker> = new Map<string, FormatMaker>([
  ['date', date],
  ['time', time],
  ['date-time', random => `${date(random)}T${time(random)}`],
  ['duration', random => `P${wholeBetween(random, 1, 9)}DT${wholeBetween(random, 1, 23)}H`],
  ['email', email],
  ['idn-email', email],
  ['hostname', hostname],
  ['idn-hostname', hostname],
  ['ipv4', random => `192.0.2.${wholeBetween(random, 1, 254)}`],
  ['ipv6', random => `2001:db8::${hex(random, 4)}`],
  ['uri', uri],
  ['url', uri],
  ['iri', uri],
  ['uri-reference', (random, lengths) => `/${padded(random, 1, lengths)}`],
  [
    'uuid',
    random => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  ],
  ['json-pointer', (random, lengths) => `/${padded(random, 1, lengths)}`],
  ['regex', () => '^[a-z]+$'],
  ['byte', random => pick(random, ['YWxwaGE=', 'YnJhdm8=']) ?? ''],
  ['binary', random => pick(random, ['YWxwaGE=', 'YnJhdm8=']) ?? ''],
])
