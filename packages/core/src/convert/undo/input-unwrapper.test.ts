import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InputUnwrapper } from './input-unwrapper.ts'

function unwrapInPieces(text: string, cuts: readonly number[]): string {
  const unwrapper = new InputUnwrapper()
  let rest = text
  let out = ''
  for (const cut of cuts) {
    out += unwrapper.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return out + unwrapper.push(rest)
}

/** JSON text of the same value, with escapes a model may choose. */
const escaped = (text: string, everything: boolean): string => {
  if (!everything) return JSON.stringify(text)
  const units = Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  )
  return `"${units.join('')}"`
}

test('Any input is decoded correctly, however it is escaped and cut. [field D25]', () => {
  const space = fc.stringMatching(/^[ \n\t]{0,2}$/)
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.array(fc.nat(4)),
      fc.tuple(space, space, space, space),
      (input, everything, cuts, [a, b, c, d]) => {
        const text = `${a}{${b}"input"${c}:${d}${escaped(input, everything)}}`
        expect(unwrapInPieces(text, cuts)).toBe(input)
      },
    ),
  )
})

test('Text is returned as soon as it can be decoded.', () => {
  const unwrapper = new InputUnwrapper()
  expect(unwrapper.push('{"inp')).toBe('')
  expect(unwrapper.push('ut": "ab')).toBe('ab')
  expect(unwrapper.push('c\\')).toBe('c')
  expect(unwrapper.push('n\\u00')).toBe('\n')
  expect(unwrapper.push('e9')).toBe('é')
  expect(unwrapper.push('"}')).toBe('')
})

test('A space inside the name makes it another name, wherever the text is cut.', () => {
  const text = '{"in put": "x"}'
  expect(unwrapInPieces(text, Array(text.length).fill(1))).toBe('')
})

test('Text of another form yields nothing until the end.', () => {
  for (const text of ['plain text', '{"other": 1}', '[1]', '{"input": 5}', '"input"']) {
    expect(unwrapInPieces(text, [1, 1, 1])).toBe('')
  }
})
