/** The JSON of a text that is written in pieces. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WrittenText } from './written-text.ts'

const texts = fc.array(fc.string({ unit: 'binary', minLength: 1 }))

describe('a text that is written in pieces', () => {
  test('The JSON of the complete text has the same value.', () => {
    fc.assert(
      fc.property(texts, pieces => {
        const written = new WrittenText(1_000_000)
        for (const piece of pieces) expect(`"${written.add(piece)}"`).toBe(JSON.stringify(piece))
        const complete = pieces.join('')
        expect(JSON.parse(`"${written.escaped(complete)}"`)).toBe(complete)
        expect([written.text(), written.length]).toEqual([complete, complete.length])
      }),
    )
  })

  test('The escaped pieces are used again for the complete text.', () => {
    const written = new WrittenText(1_000_000)
    expect(written.add('a/', 'a\\/') + written.add('b')).toBe('a\\/b')
    expect(written.escaped('a/b')).toBe('a\\/b')
  })

  test.each([
    ['ends in another word', 'so it was'],
    ['begins with another word', 'no it is'],
    ['is longer', 'so it is not'],
    ['is shorter', 'so'],
  ])('The text is escaped again if the complete text %s.', (_, complete) => {
    const written = new WrittenText(1_000_000)
    for (const piece of ['so ', 'it', ' is']) written.add(piece)
    expect(`"${written.escaped(complete)}"`).toBe(JSON.stringify(complete))
  })
})
