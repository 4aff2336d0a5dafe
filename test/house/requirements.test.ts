/** Every requirement is shown by a test that cites it, and no test cites what is not required. */
import { expect, test } from 'vitest'
import { filesUnder, type SourceFile } from '../support/house/source.ts'
import { stringOf, walk } from '../support/house/syntax.ts'
import { pending, requirements } from './requirements.ts'

const code = String.raw`\[(?:S\d{3}\.\d+|[CD]\d+|field [^\]]*)\]`
/** Citations stand at the beginning or the end of a title, so that no other text in brackets is taken for one. */
const citations = new RegExp(`^(?:${code} ?)+|(?: ?${code})+\\.?$`, 'g')

/** The codes that the titles of a test file cite. Titles stand in calls, and in tables of cases. */
function citedIn(file: SourceFile): string[] {
  const found: string[] = []
  const read = (text: string): void => {
    for (const [cited] of text.matchAll(citations))
      found.push(...[...cited.matchAll(/\[([^\]]*)\]/g)].map(([, id = '']) => id))
  }
  walk(file, node => {
    if (node.type === 'TemplateLiteral') read(node.quasis.map(({ value }) => value.raw).join(' '))
    else read(stringOf(node) ?? '')
  })
  return found
}

const tests = ['packages', 'test'].flatMap(directory =>
  filesUnder(directory, path => path.endsWith('.test.ts')),
)
const cited = new Set(tests.filter(({ text }) => /\[(S\d|[CD]\d|field )/.test(text)).flatMap(citedIn))
const ids = requirements.map(({ id }) => id)

test('The manifest lists each requirement once.', () => {
  const count = (start: string): number => ids.filter(id => id.startsWith(start)).length
  expect(new Set(ids).size).toBe(ids.length)
  const starts = ['S000', 'S001', 'S002', 'S003', 'S004', 'C', 'D', 'field']
  expect(Object.fromEntries(starts.map(start => [start, count(start)]))).toEqual({
    S000: 30,
    S001: 19,
    S002: 19,
    S003: 9,
    S004: 13,
    C: 28,
    D: 6,
    field: 83,
  })
})

test('Every requirement is cited by a test, but for those that are pending.', () => {
  expect(requirements.filter(({ id }) => !cited.has(id) && !(id in pending))).toEqual([])
})

test('Everything that is pending is a requirement without a test, and has a reason.', () => {
  const stale = Object.entries(pending).filter(
    ([id, reason]) => !ids.includes(id) || cited.has(id) || reason === '',
  )
  expect(stale).toEqual([])
})

test('No test cites a requirement that does not exist.', () => {
  expect(cited.size).toBeGreaterThan(100)
  expect([...cited].filter(id => !ids.includes(id))).toEqual([])
})

test('Citations are found at both ends of a title, in templates and in tables of cases.', () => {
  const text = [
    "test('[S000.1] [field A01] A title.', run)",
    "test('A title. [C1] [D2]', run)",
    'test(`A title. [field B13]`, run)',
    "test.each([['[C2] a case', 1]])('A title has %s and [C99] in it.', run)",
  ].join('\n')
  expect(citedIn({ path: 'example.ts', text })).toEqual([
    'S000.1',
    'field A01',
    'C1',
    'D2',
    'field B13',
    'C2',
  ])
})
