import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatBytes, formatCount, formatMs } from './quantities.ts'

describe('quantities', () => {
  test.each([
    [0, '0.0 ms'],
    [3.14, '3.1 ms'],
    [9.96, '10 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [9994, '9.99 s'],
    [9996, '10.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1m00s'],
    [3_600_000, '60m00s'],
  ])('%d milliseconds are formatted as %s.', (ms, text) => expect(formatMs(ms)).toBe(text))

  test.each([
    [9999, '9999'],
    [12_345, '12k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
  ])('The count %d is formatted as %s.', (count, text) => expect(formatCount(count)).toBe(text))

  test.each([
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 * 1024 - 1, '1.0 MiB'],
    [5 * 1024 * 1024, '5.0 MiB'],
  ])('%d bytes are formatted as %s.', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  test('A formatted duration fits its column of seven characters.', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5_900_000, noNaN: true }), ms => {
        expect(formatMs(ms).length).toBeLessThanOrEqual(7)
      }),
    )
  })
})
