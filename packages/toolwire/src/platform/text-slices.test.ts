import { expect, test } from 'vitest'
import { sliceLength, slicesOf, TextCollector } from './text-slices.ts'

const text = (length: number, letter = 'x'): string => letter.repeat(length)

test.each([
  ['nothing', []],
  ['a few short texts', [text(3), text(0), text(5)]],
  ['one long text', [text(3 * sliceLength + 7)]],
  ['exactly a slice', [text(sliceLength), text(sliceLength - 200)]],
  ['long ones among short ones', [text(9), text(2 * sliceLength, 'é'), text(1), text(sliceLength + 1, '漢')]],
  ['pairs of surrogates', [text(3, 'x') + text(sliceLength, '😀')]],
  ['many', Array.from({ length: 20_000 }, (_, index) => text(index % 90))],
])('Slices of %s are short, and give the same texts.', (_, texts) => {
  const named = texts.map((json, index) => ({ id: `id_${index}`, json }))
  const collector = new TextCollector()
  for (const slice of slicesOf(named)) {
    expect(slice.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThanOrEqual(sliceLength)
    expect(slice.length).toBeLessThan(6_000)
    collector.add(slice)
  }
  expect(collector.texts.map(({ id, json }) => ({ id, json }))).toEqual(named)
  const slices = [...slicesOf(collector.texts)]
  expect(slices.map(slice => slice.length)).toEqual([...slicesOf(named)].map(slice => slice.length))
  for (const { json, pieces } of collector.texts) {
    expect(pieces === undefined || pieces.join('') === json).toBe(true)
    expect(pieces?.every(piece => piece.isWellFormed()) ?? true).toBe(true)
  }
})

test('Nobody looks into a text that came in pieces to divide it into slices.', () => {
  const pieces = [text(sliceLength), text(sliceLength / 2), text(sliceLength)]
  const unread = { length: 2.5 * sliceLength } as unknown as string
  const slices = [...slicesOf([{ id: 'a', json: unread, pieces }])]
  expect(slices.flatMap(slice => slice.map(({ json }) => json)).join('')).toBe(pieces.join(''))
})
