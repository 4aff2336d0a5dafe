/** Texts that match a pattern, made by walking the tree that the schema room's own parser reads. */

import type { PatternNode } from '../../schema/pattern/parse.ts'
import { parsePattern } from '../../schema/pattern/parse.ts'
import { compilePattern } from '../../schema/pattern/pattern.ts'
import type { Random } from '../random.ts'
import { wholeBetween } from '../random.ts'
import { pick } from './place.ts'

export interface Lengths {
  readonly least: number
  readonly most: number
}

const longest = 100_000
/** A walk that has to make more than this many steps is given up: repeats inside repeats multiply. */
const maxSteps = 200_000

/** Nothing where the pattern cannot be walked, or no walk that was tried fits. */
export function textFor(source: string, lengths: Lengths, random: Random): string | undefined {
  const isUnicode = isLegal(source, 'u')
  if (!isUnicode && !isLegal(source, '')) return undefined
  const parsed = parsePattern(source, isUnicode)
  const compiled = compilePattern(source)
  if ('unsupported' in parsed || compiled.kind !== 'matcher') return undefined
  const alphabets = createAlphabets(isUnicode)
  for (const more of stretches(lengths, random)) {
    const text = walk(parsed.node, { random, more, alphabets })
    if (text === undefined) continue
    const length = Array.from(text).length
    const fits = length >= lengths.least && length <= lengths.most
    if (fits && compiled.matcher.test(text) === 'match') return text
  }
  return undefined
}

/** How often to repeat beyond the least: by chance first, then one more at a time until the length fits. */
function* stretches({ least, most }: Lengths, random: Random): Generator<(room: number) => number> {
  for (let i = 0; i < 20; i++) yield room => wholeBetween(random, 0, Math.min(room, 3))
  const last = Math.min(Math.max(least, 8), most, longest)
  for (let count = 0; count <= Math.min(last, 64); count++) yield room => Math.min(room, count)
  if (last > 64) yield room => Math.min(room, last)
  for (let i = 0; i < 20; i++) yield room => wholeBetween(random, 0, Math.min(room, last))
}

interface Walking {
  readonly random: Random
  readonly more: (room: number) => number
  readonly alphabets: Alphabets
}

function walk(root: PatternNode, { random, more, alphabets }: Walking): string | undefined {
  const pieces: string[] = []
  let steps = 0
  const visit = (node: PatternNode): boolean => {
    if (++steps > maxSteps) return false
    switch (node.kind) {
      case 'char':
        pieces.push(String.fromCodePoint(node.code))
        return true
      case 'set': {
        const character = pick(random, alphabets(node.source))
        pieces.push(character ?? '')
        return character !== undefined
      }
      case 'assert':
        return true
      case 'sequence':
        return node.nodes.every(visit)
      case 'choice': {
        const chosen = pick(random, node.nodes)
        return chosen === undefined || visit(chosen)
      }
      case 'repeat': {
        const count = node.min + more(node.max - node.min)
        for (let i = 0; i < count; i++) if (!visit(node.node)) return false
        return true
      }
    }
  }
  return visit(root) ? pieces.join('') : undefined
}

/** Letters and digits first: what people would write where a pattern allows almost anything. */
const usual = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))

/** Characters that a set takes; none where it takes none that was tried. */
type Alphabets = (source: string) => readonly string[]

function createAlphabets(isUnicode: boolean): Alphabets {
  const known = new Map<string, readonly string[]>()
  return source => {
    const found = known.get(source) ?? findCharacters(source, isUnicode)
    known.set(source, found)
    return found
  }
}

const enough = 40

/** One character against a native expression of one character: nothing there can run away. */
function findCharacters(source: string, isUnicode: boolean): readonly string[] {
  const test = new RegExp(`^(?:${source})$`, isUnicode ? 'u' : '')
  for (const alphabet of [usual, printable]) {
    const fitting = alphabet.filter(character => test.test(character))
    if (fitting.length > 0) return fitting
  }
  const fitting: string[] = []
  for (let code = 1; code < 0xd800 && fitting.length < enough; code++) {
    const character = String.fromCodePoint(code)
    if (test.test(character)) fitting.push(character)
  }
  return fitting
}

function isLegal(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}
