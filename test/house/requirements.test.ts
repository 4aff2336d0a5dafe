/** Every requirement is shown by a test that cites it, and no test cites what is not required. */
import { expect, test } from 'vitest'
import { filesUnder } from '../support/house/source.ts'
import { requirements } from './requirements.ts'

const tests = ['packages', 'test'].flatMap(directory =>
  filesUnder(directory, path => path.endsWith('.test.ts')),
)
/** Citations stand at the beginning of a title, so that no other text in brackets is taken for one. */
const citations = tests.flatMap(({ text }) => [
  ...text.matchAll(/['"`]((?:\[(?:S\d{3}\.\d+|[CD]\d+|field \w+)\] ?)+)/g),
])
const cited = new Set(
  citations.flatMap(([, found = '']) =>
    [...found.matchAll(/\[(S[\d.]+|[CD]\d+)\]/g)].map(([, id = '']) => id),
  ),
)

const ids = requirements.map(({ id }) => id)

test('the manifest lists each requirement once', () => {
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter(id => id.startsWith('S000')).length).toBe(30)
  expect(ids.filter(id => id.startsWith('S001')).length).toBe(19)
  expect(ids.filter(id => id.startsWith('S002')).length).toBe(19)
  expect(ids.filter(id => id.startsWith('S003')).length).toBe(9)
  expect(ids.filter(id => id.startsWith('S004')).length).toBe(13)
  expect(ids.filter(id => id.startsWith('C')).length).toBe(28)
})

test('every requirement is cited by a test', () => {
  expect(requirements.filter(({ id }) => !cited.has(id))).toEqual([])
})

test('no test cites a requirement that does not exist', () => {
  expect([...cited].filter(id => !ids.includes(id))).toEqual([])
})
