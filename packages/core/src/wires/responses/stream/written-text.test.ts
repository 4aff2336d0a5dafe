import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WrittenText } from './written-text.ts'

const texts = fc.array(fc.string({ unit: 'binary', minLength: 1 }))

describe('a text that was written in pieces', () => {
  it('is the same JSON whole', () => {
    fc.assert(
      fc.property(texts, pieces => {
        const written = new WrittenText()
        for (const piece of pieces) expect(`"${written.add(piece)}"`).toBe(JSON.stringify(piece))
        const whole = pieces.join('')
        expect(JSON.parse(written.json(whole))).toBe(whole)
        expect([written.text(), written.length]).toEqual([whole, whole.length])
      }),
    )
  })

  it('keeps the letters it was given', () => {
    const written = new WrittenText()
    expect(written.add('a/', 'a\\/') + written.add('b')).toBe('a\\/b')
    expect(written.json('a/b')).toBe('"a\\/b"')
  })

  it.each([
    ['ends in another word', 'so it was'],
    ['begins with another word', 'no it is'],
    ['says more', 'so it is not'],
    ['says less', 'so'],
  ])('is written anew when the whole %s', (_, whole) => {
    const written = new WrittenText()
    for (const piece of ['so ', 'it', ' is']) written.add(piece)
    expect(written.json(whole)).toBe(JSON.stringify(whole))
  })
})
