import { describe, expect, test } from 'vitest'
import { cutToWidth, displayWidth, padToWidth, splitToWidth } from './display-width.ts'

describe('the width of a text', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['한글', 4],
    ['ｆｕｌｌ', 8],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['🇳🇴', 2],
    ['❤️', 2],
    ['│…', 2],
    ['\u200b', 0],
  ])('The width of %s is %i.', (text, width) => expect(displayWidth(text)).toBe(width))
})

test('A text is cut with an ellipsis, and never inside a character.', () => {
  expect(cutToWidth('abcdef', 6)).toBe('abcdef')
  expect(cutToWidth('abcdef', 5)).toBe('abcd…')
  expect(cutToWidth('日本語', 6)).toBe('日本語')
  expect(cutToWidth('日本語', 5)).toBe('日本…')
  expect(cutToWidth('日本語', 4)).toBe('日…')
  expect(cutToWidth('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301')
})

test('A text is padded to columns, not characters.', () => {
  expect(padToWidth('日本', 6)).toBe('日本  ')
  expect(padToWidth('abc', 2)).toBe('abc')
})

test('Splitting a text loses nothing.', () => {
  expect(splitToWidth('a日本b', 3)).toEqual(['a日', '本b'])
  expect(splitToWidth('', 3)).toEqual([''])
  expect(splitToWidth('日本', 1)).toEqual(['日', '本'])
  expect(splitToWidth('abcdef', 2, 2)).toEqual(['ab', 'cd'])
})
