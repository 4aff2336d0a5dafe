import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeUtf8 } from './utf8.ts'

const join = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

describe('decodeUtf8', () => {
  test('Every text is decoded as it was, with byte order marks and replacement characters.', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => decodeUtf8(join(text)) === text))
    for (const text of ['\ufeff[]', 'a\ufffdb']) expect(decodeUtf8(join(text))).toBe(text)
  })

  test.each([
    ['a stray byte', join('aé', [0xff], 'b'), 3],
    ['after a replacement character that was really there', join('\ufffd', [0x80]), 3],
    ['a sequence cut off', join('ab', [0xef, 0xbf], 'c'), 2],
    ['a sequence cut off at the end', join('🙂', [0xf0, 0x9f]), 4],
    ['half of a pair', join('x', [0xed, 0xa0, 0x80]), 1],
    ['Latin-1', join('"caf', [0xe9], '"'), 4],
  ])('The first invalid byte is named: %s.', (_, bytes, offset) => {
    expect(() => decodeUtf8(bytes)).toThrow(`not UTF-8 at byte ${offset}.`)
  })

  test('UTF-16 is recognised.', () => {
    expect(() => decodeUtf8(join([0xff, 0xfe], Buffer.from('[]', 'utf16le').toString('latin1')))).toThrow(
      'looks like UTF-16',
    )
  })
})
