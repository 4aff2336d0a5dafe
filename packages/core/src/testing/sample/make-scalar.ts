/** Numbers within bounds, and texts of a length, a format or a pattern. */
import { own } from '../../json/object.ts'
import type { PatternNode } from '../../schema/pattern/parse.ts'
import { parsePattern } from '../../schema/pattern/parse.ts'
import { compilePattern } from '../../schema/pattern/pattern.ts'
import type { Random } from '../random.ts'
import { pick, wholeBetween } from '../random.ts'
import type { MergedSchema } from './merged-schema.ts'
import { limitOf } from './merged-schema.ts'

/** How far a number is from its only bound, or from zero. */
const usualSpan = 100

export function makeNumber(
  merged: MergedSchema,
  isInteger: boolean,
  random: Random,
  isLeast: boolean,
): number {
  const step = limitOf(merged, 'multipleOf', Math.max) ?? (isInteger ? 1 : undefined)
  const span = usualSpan * Math.max(1, step ?? 1)
  const above = limitOf(merged, 'exclusiveMinimum', Math.max) ?? -Infinity
  const below = limitOf(merged, 'exclusiveMaximum', Math.min) ?? Infinity
  const least = Math.max(above, limitOf(merged, 'minimum', Math.max) ?? -Infinity)
  const most = Math.min(below, limitOf(merged, 'maximum', Math.min) ?? Infinity)
  // Bounds such as those of safe integers are no hint at usual values.
  const isWide = most - least > 1e12
  const low = !isWide ? least : least > -1e12 ? least : Math.min(0, most - span)
  const high = isWide ? low + span : most
  if (step === undefined) {
    const exact = low + (high - low) * (isLeast ? (low === above ? 0.5 : 0) : random())
    const rounded = Math.round(exact * 100) / 100
    return rounded > low && rounded < high ? rounded : exact
  }
  // Counted in steps, so that the result is a multiple in spite of rounding errors.
  const round = (value: number): number => Number(value.toPrecision(12))
  let [first, last] = [Math.ceil(round(low / step)), Math.floor(round(high / step))]
  if (first * step <= above) first += 1
  if (last * step >= below) last -= 1
  const nearestToZero = first > 0 ? first : Math.min(0, last)
  const count = isLeast ? nearestToZero : wholeBetween(random, first, Math.max(first, last))
  return round(count * step) + 0
}

export interface TextOptions {
  readonly random: Random
  readonly isLeast: boolean
  readonly round: number
  readonly hasOddTexts: boolean
}

interface Lengths {
  readonly least: number
  readonly most: number
}

const plainWords = 'alpha bravo delta echo hotel india lima oscar tango zulu'.split(' ')
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
]

export function makeText(merged: MergedSchema, options: TextOptions): string {
  const { random, round } = options
  const lengths = {
    least: limitOf(merged, 'minLength', Math.max) ?? 0,
    most: limitOf(merged, 'maxLength', Math.min) ?? Number.POSITIVE_INFINITY,
  }
  const makers = merged.nodes.flatMap(({ schema }) => {
    const [pattern, format] = [own(schema, 'pattern'), own(schema, 'format')]
    return [
      ...(typeof pattern === 'string' ? [() => matchingText(pattern, lengths, random)] : []),
      ...(typeof format === 'string' ? [() => formats.get(format)?.(random, lengths)] : []),
    ]
  })
  // With several, each round begins with another one, whose text may happen to satisfy the others.
  for (const i of makers.keys()) {
    const text = makers[(i + round) % makers.length]?.()
    if (text !== undefined) return text
  }
  return plainText(lengths, options)
}

function plainText({ least, most }: Lengths, { random, isLeast, hasOddTexts }: TextOptions): string {
  const words = hasOddTexts && random() < 0.5 ? oddWords : plainWords
  const wanted = isLeast ? least : Math.max(least, Math.min(most, wholeBetween(random, 1, 16)))
  const characters: string[] = []
  while (characters.length < wanted) {
    if (characters.length > 0) characters.push(' ')
    characters.push(...(pick(random, words) ?? ''))
  }
  const isCut = isLeast || characters.length > most
  return characters
    .slice(0, isCut ? wanted : characters.length)
    .join('')
    .replace(/ $/, 'x')
}

type FormatMaker = (random: Random, lengths: Lengths) => string

const digits = (random: Random, low: number, high: number): string =>
  String(wholeBetween(random, low, high)).padStart(2, '0')
const date: FormatMaker = random =>
  `${wholeBetween(random, 1990, 2039)}-${digits(random, 1, 12)}-${digits(random, 1, 28)}`
const time: FormatMaker = random =>
  `${digits(random, 0, 23)}:${digits(random, 0, 59)}:${digits(random, 0, 59)}Z`
const hex = (random: Random, count: number): string =>
  Array.from({ length: count }, () => wholeBetween(random, 0, 15).toString(16)).join('')

/** A word between two texts, long enough for the least length of all three. */
const around =
  (before: string, after = ''): FormatMaker =>
  (random, { least, most }) => {
    const fixed = before.length + after.length
    const word = (pick(random, plainWords) ?? '').padEnd(least - fixed, 'x')
    return before + word.slice(0, Math.max(1, most - fixed)) + after
  }
const email: FormatMaker = (random, lengths) =>
  around('', lengths.most < 20 ? '@a.io' : '@example.com')(random, lengths)
const uri = around('https://example.com/')
const hostname = around('', '.example.com')

const formats: ReadonlyMap<string, FormatMaker> = new Map<string, FormatMaker>([
  ['date', date],
  ['time', time],
  ['date-time', (random, lengths) => `${date(random, lengths)}T${time(random, lengths)}`],
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
  ['uri-reference', around('/')],
  ['json-pointer', around('/')],
  [
    'uuid',
    random =>
      [hex(random, 8), hex(random, 4), `4${hex(random, 3)}`, `a${hex(random, 3)}`, hex(random, 12)].join('-'),
  ],
  ['regex', () => '^[a-z]+$'],
  ['byte', () => 'YWxwaGE='],
])

const longest = 100_000
/** Repeats inside repeats multiply, so a text that takes more steps is given up. */
const maxSteps = 200_000

/** A text that matches the pattern; `undefined` where the pattern is not understood or none was found. */
function matchingText(source: string, { least, most }: Lengths, random: Random): string | undefined {
  const compiled = compilePattern(source)
  const isUnicode = isLegal(source, 'u')
  if (compiled.kind !== 'matcher') return undefined
  const parsed = parsePattern(source, isUnicode)
  if ('unsupported' in parsed) return undefined
  const alphabets = new Map<string, readonly string[]>()
  const characterOf = (set: string): string | undefined => {
    const characters = alphabets.get(set) ?? charactersOf(set, isUnicode)
    alphabets.set(set, characters)
    return pick(random, characters)
  }
  for (const repeats of repeatCounts({ least, most }, random)) {
    const text = writePattern(parsed.node, { random, repeats, characterOf })
    const length = text === undefined ? -1 : Array.from(text).length
    if (text !== undefined && length >= least && length <= most && compiled.matcher.test(text) === 'match')
      return text
  }
  return undefined
}

/** How often to repeat beyond the least: at random first, then more and more until the length fits. */
function* repeatCounts({ least, most }: Lengths, random: Random): Generator<(room: number) => number> {
  for (let i = 0; i < 20; i++) yield room => wholeBetween(random, 0, Math.min(room, 3))
  const last = Math.min(Math.max(least, 8), most, longest)
  for (let count = 0; count <= Math.min(last, 64); count++) yield room => Math.min(room, count)
  yield room => Math.min(room, last)
  for (let i = 0; i < 20; i++) yield room => wholeBetween(random, 0, Math.min(room, last))
}

interface Choices {
  readonly random: Random
  readonly repeats: (room: number) => number
  readonly characterOf: (set: string) => string | undefined
}

function writePattern(root: PatternNode, { random, repeats, characterOf }: Choices): string | undefined {
  const pieces: string[] = []
  let steps = 0
  const write = (node: PatternNode): boolean => {
    if (++steps > maxSteps) return false
    switch (node.kind) {
      case 'assert':
        return true
      case 'char':
        return pieces.push(String.fromCodePoint(node.code)) > 0
      case 'set': {
        const character = characterOf(node.source)
        return character !== undefined && pieces.push(character) > 0
      }
      case 'sequence':
        return node.nodes.every(write)
      case 'choice': {
        const chosen = pick(random, node.nodes)
        return chosen === undefined || write(chosen)
      }
      case 'repeat': {
        const count = node.min + repeats(node.max - node.min)
        for (let i = 0; i < count; i++) if (!write(node.node)) return false
        return true
      }
    }
  }
  return write(root) ? pieces.join('') : undefined
}

const usualCharacters = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')

/** Characters that a set takes, letters and digits where it can. An expression for one character cannot take long. */
function charactersOf(set: string, isUnicode: boolean): readonly string[] {
  const test = new RegExp(`^(?:${set})$`, isUnicode ? 'u' : '')
  const fitting = usualCharacters.filter(character => test.test(character))
  if (fitting.length > 0) return fitting
  for (let code = 32; code < 0xd800 && fitting.length < 40; code++)
    if (test.test(String.fromCodePoint(code))) fitting.push(String.fromCodePoint(code))
  return fitting.length > 0 ? fitting : ['\t', '\n', '\r'].filter(character => test.test(character))
}

function isLegal(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}
