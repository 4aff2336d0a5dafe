import { describe, expect, it } from 'vitest'
import { cutToWidth, displayWidth, padToWidth, splitToWidth } from './display-width.ts'

describe('the width of a text', () => {
  it.each([
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
  ])('%s: %i', (text, width) => expect(displayWidth(text)).toBe(width))
})

it('cuts with an ellipsis, and never through a character', () => {
  expect(cutToWidth('abcdef', 6)).toBe('abcdef')
  expect(cutToWidth('abcdef', 5)).toBe('abcd…')
  expect(cutToWidth('日本語', 6)).toBe('日本語')
  expect(cutToWidth('日本語', 5)).toBe('日本…')
  expect(cutToWidth('日本語', 4)).toBe('日…')
  expect(cutToWidth('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301')
})

it('pads by columns', () => {
  expect(padToWidth('日本', 6)).toBe('日本  ')
  expect(padToWidth('abc', 2)).toBe('abc')
})

it('splits without losing anything', () => {
  expect(splitToWidth('a日本b', 3)).toEqual(['a日', '本b'])
  expect(splitToWidth('', 3)).toEqual([''])
  expect(splitToWidth('日本', 1)).toEqual(['日', '本'])
  expect(splitToWidth('abcdef', 2, 2)).toEqual(['ab', 'cd'])
})
