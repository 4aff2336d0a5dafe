import { expect, test } from 'vitest'
import { dollars, duration, visible } from './format.ts'

test('Characters that hide or turn text, or that break lines unseen, are written as what they are.', () => {
  const hidden = [
    0x00, 0x1b, 0x7f, 0x9f, 0xad, 0x061c, 0x180e, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e, 0x2066, 0x2069,
    0xfeff,
  ]
  for (const code of hidden)
    expect(visible(`a${String.fromCodePoint(code)}b`)).toBe(
      `a‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›b`,
    )
  expect(visible(`a${String.fromCodePoint(0xe0041)}b`)).toBe('a‹U+E0041›b')
})

test('Lines, tabs, other scripts and pictures stay as they are.', () => {
  const text = 'a\tb\nc „ä“ السلام 漢字 😀'
  expect(visible(text)).toBe(text)
})

test('Small sums keep two digits that say something.', () => {
  expect([12, 0.5, 0.0026, 0.000042, 0.00000001, 0].map(dollars)).toEqual([
    '$12.00',
    '$0.50',
    '$0.0026',
    '$0.000042',
    '< $0.000001',
    '$0.00',
  ])
})

test('A time has the unit that suits it, whatever it is rounded to.', () => {
  expect([0, 0.4, 12.4, 999.7, 1234, 59_999, 125_000].map(duration)).toEqual([
    '0 ms',
    '0.4 ms',
    '12 ms',
    '1.00 s',
    '1.23 s',
    '1 m 00 s',
    '2 m 05 s',
  ])
})
