import { expect, test } from 'vitest'
import type { Path } from './json-tree.ts'
import { mostFound, pieceOfWork, searchTree } from './tree-search.ts'

const value = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], empty: {}, 'odd key': [1, null] }

/** Everything it finds, and what each of its pieces cost. */
function all(body: unknown, text: string): { readonly found: readonly Path[]; readonly pieces: number[] } {
  const search = searchTree(body, text)
  const pieces: number[] = []
  while (!search.isDone) pieces.push(search.step())
  return { found: search.found, pieces }
}

test('A search finds keys and values, each once, and stops where nobody would go on.', () => {
  expect(all(value, 'hello').found).toEqual([['messages', 0, 'content']])
  expect(all(value, 'MESS').found).toEqual([['messages']])
  expect(all(value, 'm').found).toEqual([['model'], ['messages'], ['empty']])
  expect(all(value, 'null').found).toEqual([['odd key', 1]])
  expect(all(value, '').found).toEqual([])
  expect(all('plain', 'lai').found).toEqual([[]])
  expect(all(Array(2 * mostFound).fill('x'), 'x').found).toHaveLength(mostFound)
})

test('Of a body of ten megabytes it looks at a piece at a time, and what it has found grows.', () => {
  const body = Array.from({ length: 5000 }, (_, i) => ({ role: 'user', content: `${i} ${'x'.repeat(2000)}` }))
  const search = searchTree(body, 'xx')
  const counts: number[] = []
  while (!search.isDone) {
    expect(search.step()).toBeLessThan(2 * pieceOfWork)
    counts.push(search.found.length)
  }
  expect(counts.length).toBeGreaterThan(20)
  expect(counts[0]).toBeLessThan(200)
  expect(counts.at(-1)).toBe(5000)
})

test('A long text is looked at in pieces too, and what stands across two of them is found.', () => {
  for (const at of [0, 65_530, 65_535, 65_536, 131_070, 9_999_990]) {
    const text = `${'x'.repeat(at)}NEEDLE${'x'.repeat(9_999_994 - at)}`
    const { found, pieces } = all({ text }, 'needle')
    expect(found, String(at)).toEqual([['text']])
    for (const work of pieces) expect(work).toBeLessThan(2 * pieceOfWork)
  }
})
