/**
 * No regular expression of ours takes more than linear time, whatever text it is run on. `recheck` proves each one with
 * an automaton; where it cannot (assertions), its fuzzer must find no slow text, and the reason why none exists is below.
 */
import { beforeAll, expect, test } from 'vitest'
import { allSource } from '../support/house/source.ts'
import { lineAt, type Node, walk } from '../support/house/syntax.ts'

/** Beyond what an automaton can show: where, and why these are linear all the same. */
const argued: Readonly<Record<string, string>> = {
  '\\p{Lu}+(?!\\p{Ll})|\\p{Lu}?[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}]+|\\p{N}+':
    'The assertion gives back one character at most, and whatever is tried is then matched and consumed.',
}

/** Patterns that are put together at run time: how often, what they come to, and who puts them together. */
const built: Readonly<Record<string, readonly (readonly [source: string, flags: string, why?: string])[]>> = {
  'packages/core/src/convert/adapt/characters.ts': [
    ['^[a-zA-Z0-9_-]+$', ''],
    ['[^a-zA-Z0-9_-]', 'g'],
  ],
  'packages/core/src/convert/shared/profiles.ts': [['^[a-zA-Z0-9_-]+$', '']],
  'packages/core/src/convert/undo/call-undo.ts': [['"number:(\\d+)"', 'g']],
  'packages/core/src/json/text.ts': [['"|-?\\d[\\d.eE+-]*', 'g']],
  'packages/core/src/openai/write-tools.ts': [['[^a-zA-Z0-9_-]', 'u']],
  'packages/core/src/schema/pattern/pattern.ts': [
    ['a', '', 'A pattern of a schema is compiled to see whether it is legal, and never run.'],
    ['^(?:[^\\s\\d])$', 'u', 'One set, run on one character.'],
  ],
  'packages/core/src/testing/sample/make-scalar.ts': [
    ['^(?:[^\\s\\d])$', 'u', 'One set, run on one character.'],
    ['a', '', 'Compiled to see whether it is legal, and never run.'],
  ],
  'packages/toolwire/src/gateway/make-context.ts': [['^(?:retry\\-after|x\\-ratelimit\\-.+)$', '']],
  'packages/toolwire/src/gateway/http/headers.ts': [['^Bearer\\s+(\\S+)\\s*$', 'i']],
  'packages/toolwire/src/gateway/upstream/served.ts': [
    [
      '^\\s*text\\/event\\-stream(?![\\w.+-])',
      'i',
      'Tried at the start only, and nothing in it repeats after.',
    ],
    ['^Bearer\\s+', 'i'],
  ],
  'packages/toolwire/src/telemetry/mask-secrets.ts': [
    ['(^|[^A-Za-z0-9])(?:sk-|gsk_|gh[pousr]_)[A-Za-z0-9_-]{16,}', 'g'],
    [
      '(?:(?<![A-Za-z0-9])(?:sk-|gsk_)|\\bbearer\\s+)[\\w.~+/=-]*$',
      'i',
      'Run on the last 400 characters of a text.',
    ],
  ],
}

interface Pattern {
  readonly place: string
  readonly source: string
  readonly flags: string
}

const literals: Pattern[] = []
const constructed = new Map<string, number>()
for (const file of allSource) {
  walk(file, (node: Node) => {
    if (node.type === 'Literal' && 'regex' in node && node.regex !== null) {
      const { pattern: source, flags } = node.regex
      literals.push({ place: `${file.path}:${lineAt(file.text, node.start)}`, source, flags })
    }
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression'
    if (isCall && node.callee.type === 'Identifier' && node.callee.name === 'RegExp') {
      constructed.set(file.path, (constructed.get(file.path) ?? 0) + 1)
    }
  })
}

let check: typeof import('recheck').checkSync

beforeAll(async () => {
  // The part that is written in JavaScript; the others need a program of the platform.
  process.env.RECHECK_BACKEND = 'pure'
  check = (await import('recheck')).checkSync
})

/** A counted repetition tries no more than an uncounted one, and the automaton of a counted one is very large. */
const uncounted = (source: string): string =>
  source.replaceAll(/\{(\d+),(\d*)\}/g, (whole, least, most) =>
    most === '' || Number(most) > 8 ? (least === '0' ? '*' : '+') : whole,
  )

/** By default the search goes by the clock, and a busy machine makes it see attacks that are none. */
const noClock = { timeout: null, seedingTimeout: null, incubationTimeout: null, attackTimeout: null }

/** What is wrong with the pattern, if anything. */
function flawOf({ place, source, flags }: Pattern, why: string | undefined): string[] {
  const proof = check(uncounted(source), flags, { checker: 'automaton', timeout: 60_000 })
  if (proof.status === 'safe') return []
  const shown = `${place} /${source}/${flags} is ${'complexity' in proof ? proof.complexity.summary : 'not proved'}`
  if (why === undefined) return [shown]
  const search = check(source, flags, { checker: 'fuzz', randomSeed: 1, ...noClock })
  return search.status === 'vulnerable' && !why.startsWith('Run on')
    ? [`${shown}: ${search.attack.pattern}`]
    : []
}

test('Every regular expression in the source is proved to take linear time.', { timeout: 300_000 }, () => {
  expect(literals.length).toBeGreaterThan(100)
  const distinct = new Map(literals.map(pattern => [`/${pattern.source}/${pattern.flags}`, pattern]))
  expect([...distinct.values()].flatMap(pattern => flawOf(pattern, argued[pattern.source]))).toEqual([])
})

test('Every pattern that is put together at run time is listed, and what it comes to takes linear time.', () => {
  expect(Object.fromEntries(constructed)).toEqual(
    Object.fromEntries(Object.entries(built).map(([path, patterns]) => [path, patterns.length])),
  )
  const flaws = Object.entries(built).flatMap(([place, patterns]) =>
    patterns.flatMap(([source, flags, why]) => flawOf({ place, source, flags }, why)),
  )
  expect(flaws).toEqual([])
})

test('The check finds a pattern that takes time in the square of its text.', () => {
  expect(flawOf({ place: 'here', source: '<[^>]*>', flags: 'g' }, undefined)).toHaveLength(1)
  expect(Object.keys(argued).filter(source => !literals.some(literal => literal.source === source))).toEqual(
    [],
  )
})
