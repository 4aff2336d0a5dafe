import { expect, test } from 'vitest'
import { visible } from './format.ts'

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
